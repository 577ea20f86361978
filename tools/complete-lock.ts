// For maintainers, after `npm install` has changed package-lock.json.
// npm leaves an optional dependency out of the lock file when the registry it asked does not have it, and `npm ci` then refuses the lock file
// everywhere. Binaries for other platforms are such: this puts their entries in, with version and platform, so that npm skips them where they do not fit.
import { readFileSync, writeFileSync } from "node:fs"

interface LockEntry {
  readonly version?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const path = "package-lock.json"
const systems = ["android", "darwin", "freebsd", "linux", "openharmony", "win32", "aix", "sunos"]
const processors = ["arm64", "x64", "ia32", "arm", "ppc64", "riscv64", "s390x", "wasm32"]

const lock: { packages: Record<string, LockEntry> } = JSON.parse(readFileSync(path, "utf8"))
let added = 0
for (const [at, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const places = [`${folderOf(at)}${name}`, `node_modules/${name}`]
    if (places.some((place) => lock.packages[place] !== undefined)) continue
    lock.packages[places[0]!] = { version, ...platformOf(name), ...(entry.dev && { dev: true }), optional: true }
    added++
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`)
console.log(`${added} optional packages for other platforms added to ${path}`)

/** The node_modules folder that the package at this place stands in. */
function folderOf(place: string): string {
  const end = place.lastIndexOf("node_modules/")
  return end < 0 ? "node_modules/" : place.slice(0, end + "node_modules/".length)
}

/** "@oxlint/binding-linux-arm64-musl" → linux, arm64, musl. */
function platformOf(name: string): Pick<LockEntry, "os" | "cpu" | "libc"> {
  const words = name.split(/[-/]/)
  const os = systems.find((system) => words.includes(system))
  const cpu = processors.find((processor) => words.includes(processor))
  const libc = words.some((word) => word.startsWith("musl")) ? "musl" : words.some((word) => word.startsWith("gnu")) ? "glibc" : undefined
  return { ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }), ...(os && { os: [os] }) }
}
