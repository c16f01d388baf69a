# Not built: nix 2.8 of Debian 12 parses it, and its inputs need the network. Swift in nixpkgs has to be 6.2 or later; swift-argument-parser is fetched as an input.
{
  description = "Player, recorder and guard that keep music off the speaker";

  inputs = {
    nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
    argument-parser = {
      url = "github:apple/swift-argument-parser/1.8.0";
      flake = false;
    };
  };

  outputs = { self, nixpkgs, argument-parser }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = body: nixpkgs.lib.genAttrs systems (system: body nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: {
        default = pkgs.swiftPackages.stdenv.mkDerivation {
          pname = "audiosession";
          version = "1.0.0";
          src = self;
          nativeBuildInputs = with pkgs; [ swift swiftpm git pkg-config makeWrapper ];
          buildInputs = with pkgs; [ pipewire libsndfile soxr swiftPackages.Foundation swiftPackages.Dispatch ];
          env.OAV_PACKAGES_ARE_THERE = 1;
          # Without the network: the dependency is edited in place.
          preBuild = ''
            mkdir -p Packages && cp -r ${argument-parser} Packages/swift-argument-parser && chmod -R u+w Packages
            swift package edit --path Packages/swift-argument-parser swift-argument-parser
          '';
          dontBuild = true;
          installPhase = ''
            runHook preBuild
            DESTDIR= PREFIX=$out dev/install --for-package
            wrapProgram $out/bin/audiosession --prefix LD_LIBRARY_PATH : ${
              pkgs.lib.makeLibraryPath (with pkgs; [ ffmpeg curl soundtouch systemd ])
            }
          '';
          meta = {
            homepage = "https://github.com/open-avfaudio/open-avfaudio";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "audiosession";
            platforms = systems;
          };
        };
      });
    };
}
