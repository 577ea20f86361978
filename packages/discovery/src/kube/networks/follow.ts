import { type Clock, type Log, messageOf, milliseconds, readText } from "@pilothouse/seams"
import { type MeshNetworks, type MeshNetworksSource, noNetworks, readMeshNetworks } from "./mesh-networks.ts"

/** What mesh networks are read with and reported to. */
export interface FollowerOptions {
  readonly source: Pick<MeshNetworksSource, "parse">
  readonly log: Log
  readonly changed: (networks: MeshNetworks) => void
}

/**
 * Turns texts into networks.
 *
 * Invariant: what was last handed on is the last text that could be read; a bad one changes nothing.
 */
export class MeshNetworksFollower {
  readonly #options: FollowerOptions
  #text: string | undefined

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  /** Undefined: there are no mesh networks any more. */
  take(text: string | undefined, from: string): void {
    if (text === this.#text) return
    const networks = this.#read(text, from)
    if (networks !== undefined) this.#options.changed(networks)
    // Only now: where the callback throws, the same text counts as changed again.
    this.#text = text
  }

  /** Undefined: they cannot be read. */
  #read(text: string | undefined, from: string): MeshNetworks | undefined {
    const { source, log } = this.#options
    const { parse = JSON.parse } = source
    try {
      return text === undefined || text.trim() === "" ? noNetworks : readMeshNetworks(parse(text))
    } catch (error) {
      log.warn(`the mesh networks in ${from} cannot be read; keeping the last good ones`, { from, error: messageOf(error) })
      return undefined
    }
  }
}

type MeshNetworksFile = NonNullable<MeshNetworksSource["file"]>

/** Looks at a file from time to time. One that is gone, empty or cannot be read for a moment changes nothing. */
export async function followFile(
  file: MeshNetworksFile,
  follower: MeshNetworksFollower,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  const { path, every = 10_000 } = file
  for (;;) {
    const text = textOf(file, log)
    // One that is just being written is empty for a moment; that there are no networks is said with `networks: {}`.
    if (text.trim() !== "") follower.take(text, path)
    if (signal.aborted) return
    await clock.sleep(milliseconds(every), { signal, name: `${path}: mesh networks` }).catch(() => {})
    if (signal.aborted) return
  }
}

/** "" where there is none to read now. */
function textOf({ files, path }: MeshNetworksFile, log: Log): string {
  try {
    return readText(files, path) ?? ""
  } catch (error) {
    log.warn(`the mesh networks in ${path} cannot be read now`, { path, error: messageOf(error) })
    return ""
  }
}
