# The release workflow fills in version and checksums (`cargo xtask dist formula`).
class Homard < Formula
  desc "Personal AI assistant that runs on your own machine"
  homepage "https://github.com/homard/homard"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.com/homard/homard/releases/download/v@VERSION@/homard-aarch64-apple-darwin.tar.gz"
      sha256 "@aarch64-apple-darwin@"
    end
    on_intel do
      url "https://github.com/homard/homard/releases/download/v@VERSION@/homard-x86_64-apple-darwin.tar.gz"
      sha256 "@x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/homard/homard/releases/download/v@VERSION@/homard-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "https://github.com/homard/homard/releases/download/v@VERSION@/homard-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "homard"
    bash_completion.install "completions/homard.bash" => "homard"
    zsh_completion.install "completions/_homard"
    fish_completion.install "completions/homard.fish"
    man1.install Dir["man/*.1"]
  end

  service do
    run [opt_bin/"homard", "gateway", "run"]
    keep_alive successful_exit: false
    log_path var/"log/homard.log"
    error_log_path var/"log/homard.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/homard --version")
    system bin/"homard", "config", "validate"
  end
end
