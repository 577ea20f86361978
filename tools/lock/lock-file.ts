export interface LockEntry {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** By place: "node_modules/vitest". */
export type LockEntries = Readonly<Record<string, LockEntry>>

/** Returns the checksum of a package as its registry has it; undefined where the registry does not have the package. */
export type FindIntegrity = (name: string, version: string) => Promise<string | undefined>

const systems = ["android", "darwin", "freebsd", "linux", "openharmony", "win32", "aix", "sunos"]
const processors = ["arm64", "x64", "ia32", "arm", "ppc64", "riscv64", "s390x", "wasm32"]
/** Questions to the registry at once. */
const concurrency = 4

/**
 * npm leaves an optional dependency out of the lock file when the registry it asked does not have it, and `npm ci` then refuses the lock file
 * everywhere. Binaries for other platforms are such: this adds their entries, with version and platform, so that npm skips them where they do not fit.
 */
export function withOptionalEntries(entries: LockEntries): LockEntries {
  const all: Record<string, LockEntry> = { ...entries }
  for (const [at, entry] of Object.entries(entries)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const places = [`${folderOf(at)}${name}`, `node_modules/${name}`]
      if (places.some((place) => all[place] !== undefined)) continue
      all[places[0]!] = { version, ...platformOf(name), ...(entry.dev && { dev: true }), optional: true }
    }
  }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Adds checksums where there are none: an entry without one is installed whatever its registry gives out. */
export async function withIntegrity(entries: LockEntries, find: FindIntegrity): Promise<LockEntries> {
  const all: Record<string, LockEntry> = { ...entries }
  const waiting = placesWithoutIntegrity(entries).values()
  const work = async () => {
    for (const place of waiting) {
      const { version = "", ...rest } = entries[place]!
      const integrity = await find(nameOf(place), version)
      if (integrity !== undefined) all[place] = { version, integrity, ...rest }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return all
}

/** Where packages stand that no checksum is known of. Packages of the workspace have none. */
export function placesWithoutIntegrity(entries: LockEntries): readonly string[] {
  return Object.entries(entries).flatMap(([place, { link, integrity }]) =>
    place.includes("node_modules/") && !link && integrity === undefined ? [place] : [],
  )
}

/** "node_modules/knip/node_modules/oxc-parser" → "oxc-parser". */
function nameOf(place: string): string {
  return place.slice(folderOf(place).length)
}

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
