extension ScenePicture {
    /// The picture in a page of its own, which loads nothing: it zooms, and each event says why.
    public var html: String {
        let link = history.scene.link.map { link in
            // Only addresses of the web: a scene comes from anywhere.
            link.hasPrefix("https://") || link.hasPrefix("http://")
                ? "<p>The bug that it stands for: <a href=\"\(XML.text(link))\" rel=\"noreferrer\">\(XML.text(link))</a></p>"
                : "<p>The bug that it stands for: \(XML.text(link))</p>"
        }
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <title>\(XML.text(summary))</title>
            <style>
            \(Self.variables)
            \(Self.pageStyle)
            </style></head><body>
            <h1>\(XML.text(title))</h1>
            \(verdict)
            \(link ?? "")
            \(reasonList)
            <div class="keys"><button type="button" data-key="-" aria-label="zoom out">−</button><button type="button" data-key="0">all</button><button type="button" data-key="+" aria-label="zoom in">+</button>
            <span>keys: + and − zoom, ← and → move, j and k go through the events</span></div>
            <div class="scroll" tabindex="0" aria-label="timeline"><div class="wide">\(timeline)<div class="cursor"></div></div></div>
            <h2>Everything that happened</h2>
            \(table)
            <script>
            \(Self.script)
            </script>
            </body></html>

            """
    }

    private var verdict: String {
        guard !faults.isEmpty else {
            return history.expectationCount == 0
                ? "<p>\(history.verdict)</p>" : "<p class=\"good\">✓ \(history.verdict)</p>"
        }
        let list = faults.map { "<li>\(XML.text($0))</li>" }.joined()
        return "<div class=\"bad\"><p>✗ Not as expected:</p><ul>\(list)</ul></div>"
    }

    private var reasonList: String {
        let shown = reasons.prefix(12)
        guard !shown.isEmpty else { return "" }
        let list = shown.map { "<li><b>\($0.time.spelling)</b> \(XML.text($0.text))</li>" }.joined()
        let rest = reasons.count > shown.count ? "<p>… and \(reasons.count - shown.count) more below.</p>" : ""
        return "<h2>Why the sound stopped</h2><ul class=\"why\">\(list)</ul>\(rest)"
    }

    private var table: String {
        let limit = Self.maximumEvents * 2
        let rows = history.told.prefix(limit).map { entry in
            let place = entry.time.seconds / seconds * 100
            return "<tr tabindex=\"0\" data-x=\"\((place * 1000).rounded() / 1000)\"><td>\(entry.time.spelling)</td>"
                + "<td>\(XML.text(entry.what.lane))</td><td>\(XML.text(entry.what.words))</td></tr>"
        }
        let more = history.told.count - rows.count
        return
            "<table><thead><tr><th>time</th><th>who</th><th>what</th></tr></thead><tbody>\(rows.joined(separator: "\n"))"
            + "</tbody></table>" + (more > 0 ? "<p>… and \(more) more, which the text has.</p>" : "")
    }

    private static let pageStyle = """
        body{font:15px/1.45 system-ui,sans-serif;margin:1rem auto;max-width:1400px;padding:0 .7rem;background:var(--back);\
        color:var(--ink)}
        h1{font-size:1.35rem;margin:.2rem 0 .4rem}h2{font-size:1rem;margin:1.2rem 0 .3rem}a{color:var(--wave)}
        .good{background:var(--met);padding:.4rem .7rem;border-radius:.3rem}
        .bad{background:var(--unmet);padding:.4rem .7rem;border-radius:.3rem}.bad p,.bad ul{margin:.1rem 0}
        .why{padding-left:1.2rem;margin:.2rem 0}
        .keys{margin:.8rem 0 .3rem;color:var(--soft);font-size:.85rem}.keys button{min-width:2.4rem;min-height:2rem}
        .scroll{overflow-x:auto;border:1px solid var(--line);border-radius:.3rem}
        .wide{position:relative;min-width:640px}.wide>svg{display:block;width:100%}
        .cursor{position:absolute;top:0;bottom:0;width:2px;background:var(--wave);display:none;pointer-events:none}
        :focus-visible{outline:2px solid var(--wave);outline-offset:-2px}
        table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.15rem .6rem .15rem .2rem;\
        border-bottom:1px solid var(--line)}td:first-child{white-space:nowrap;font-variant-numeric:tabular-nums}
        td{overflow-wrap:anywhere}
        @media(max-width:600px){td:nth-child(2){white-space:nowrap}.keys span{display:none}}
        @media print{.keys,script{display:none}h2{break-after:avoid}.scroll{overflow:visible}.wide{width:100%!important}
        svg,rect{print-color-adjust:exact;-webkit-print-color-adjust:exact}.good,.bad{print-color-adjust:exact;\
        -webkit-print-color-adjust:exact}}
        """

    private static let script = """
        (()=>{const scroll=document.querySelector('.scroll'),wide=document.querySelector('.wide'),\
        names=document.querySelector('.names'),cursor=document.querySelector('.cursor'),\
        rows=[...document.querySelectorAll('tbody tr')];let zoom=1,row=-1;
        const follow=()=>names.setAttribute('transform','translate('+scroll.scrollLeft+',0)');
        function set(z){const middle=(scroll.scrollLeft+scroll.clientWidth/2)/wide.clientWidth;
        zoom=Math.min(400,Math.max(1,z));wide.style.width=zoom*100+'%';
        scroll.scrollLeft=middle*wide.clientWidth-scroll.clientWidth/2;follow()}
        function show(i){if(i<0||i>=rows.length)return;row=i;const x=+rows[i].dataset.x;cursor.style.display='block';
        cursor.style.left=x+'%';scroll.scrollLeft=x/100*wide.clientWidth-scroll.clientWidth/2;follow()}
        function key(k){if(k=='+'||k=='=')set(zoom*1.6);else if(k=='-')set(zoom/1.6);else if(k=='0')set(1);
        else if(k=='ArrowLeft'||k=='ArrowRight'){scroll.scrollLeft+=(k=='ArrowLeft'?-1:1)*scroll.clientWidth/4;follow()}
        else if(k=='j'||k=='k'){const i=row+(k=='j'?1:-1);if(rows[i])rows[i].focus()}else return false;return true}
        document.addEventListener('keydown',e=>{if(!e.ctrlKey&&!e.metaKey&&!e.altKey&&key(e.key))e.preventDefault()});
        for(const b of document.querySelectorAll('[data-key]'))b.addEventListener('click',()=>key(b.dataset.key));
        rows.forEach((r,i)=>{r.addEventListener('focus',()=>show(i));r.addEventListener('click',()=>r.focus())});
        scroll.addEventListener('scroll',follow);
        scroll.addEventListener('wheel',e=>{if(e.ctrlKey){e.preventDefault();set(zoom*(e.deltaY<0?1.25:.8))}},{passive:false})})()
        """
}
