{
  description = "Homard, a personal AI assistant that runs on your own machine";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      # The flake lies below the clone it builds.
      root = ../..;
      manifest = (nixpkgs.lib.importTOML (root + "/Cargo.toml")).workspace.package;
    in
    {
      packages = each (
        pkgs:
        let
          page = pkgs.buildNpmPackage {
            pname = "homard-page";
            inherit (manifest) version;
            src = root + "/web";
            npmDeps = pkgs.importNpmLock { npmRoot = root + "/web"; };
            npmConfigHook = pkgs.importNpmLock.npmConfigHook;
            # Its types are made from the Rust types.
            preBuild = "cp ${types}/protocol.ts src/protocol.ts";
            npmBuildScript = "bundle";
            installPhase = "cp -r dist $out";
          };
          common = {
            inherit (manifest) version;
            src = root;
            cargoLock.lockFile = root + "/Cargo.lock";
          };
          types = pkgs.rustPlatform.buildRustPackage (
            common
            // {
              pname = "homard-types";
              buildPhase = "cargo run --offline -p homard-protocol --example typescript -- protocol.ts";
              installPhase = "install -D protocol.ts $out/protocol.ts";
              doCheck = false;
            }
          );
        in
        {
          default = pkgs.rustPlatform.buildRustPackage (
            common
            // {
              pname = "homard";
              env.HOMARD_COMMIT = self.shortRev or "unknown";
              nativeBuildInputs = [ pkgs.installShellFiles ];
              preBuild = "mkdir -p web && cp -r ${page} web/dist";
              cargoBuildFlags = [
                "-p"
                "homard"
              ];
              # The tests want a browser, an IRC server and loopback; `cargo xtask test` runs them.
              doCheck = false;
              postInstall = ''
                for shell in bash zsh fish; do
                  $out/bin/homard completion --shell $shell > homard.$shell
                done
                installShellCompletion homard.{bash,zsh,fish}
              '';
              meta = {
                description = "Personal AI assistant that runs on your own machine";
                homepage = manifest.repository;
                license = with pkgs.lib.licenses; [
                  mit
                  asl20
                ];
                mainProgram = "homard";
              };
            }
          );
        }
      );
    };
}
