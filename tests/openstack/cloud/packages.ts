import { spawnSync } from "node:child_process"
import { existsSync, rmSync, writeFileSync } from "node:fs"

/** Debian's packages with everything that the cloud is made of. */
const packages = [
  "neutron-common",
  "octavia-common",
  "python3-octavia",
  "python3-keystone",
  "keystone",
  "uwsgi-core",
  "uwsgi-plugin-python3",
  "mariadb-server",
]

function missing(): readonly string[] {
  return packages.filter((name) => {
    const { stdout } = spawnSync("dpkg-query", ["-W", "-f", "${db:Status-Status}", name], { encoding: "utf8" })
    return stdout !== "installed"
  })
}

/** Why the cloud cannot run here, in words that say what to do; undefined when it can. */
export function whyNot(): string | undefined {
  if (spawnSync("dpkg-query", ["--version"]).status !== 0) return "the real OpenStack comes from Debian packages, and this is no Debian"
  const lacking = missing()
  if (lacking.length === 0) return undefined
  return `packages are missing; npm run test:openstack -- --install, as root, runs: apt-get install --no-install-recommends ${lacking.join(" ")}`
}

/** About 275 packages and 440 MB. None of them may start a service of its own. */
export function install(): void {
  const guard = "/usr/sbin/policy-rc.d"
  const made = !existsSync(guard)
  if (made) writeFileSync(guard, "#!/bin/sh\nexit 101\n", { mode: 0o755 })
  try {
    const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
    for (const words of [
      ["update", "-q"],
      ["install", "-q", "-y", "--no-install-recommends", ...missing()],
    ]) {
      const { status, stderr } = spawnSync("apt-get", words, { env: environment, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] })
      if (status !== 0) throw new Error(`apt-get ${words[0]} failed: ${stderr.slice(-500)}`)
    }
  } finally {
    if (made) rmSync(guard)
  }
}
