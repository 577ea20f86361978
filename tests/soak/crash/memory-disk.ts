import type { DiskStorageOptions } from "@pilothouse/apiserver"
import type { Random } from "@pilothouse/seams"

type Disk = NonNullable<DiskStorageOptions["disk"]>
type LogFile = Awaited<ReturnType<Disk["openLog"]>>

/** The files of a directory by their path. */
export type Image = ReadonlyMap<string, Uint8Array>

/** A disk writes whole sectors, in any order. */
const sector = 512

export interface MemoryDiskOptions {
  readonly random: Random
  /** The power fails in the middle of this call; never by default. */
  readonly failAt?: number
  /** A disk that says too early that bytes are safe, to show that this is noticed. */
  readonly lies?: boolean
}

/**
 * A disk whose power fails in the middle of a call.
 *
 * Invariant: `#live` is what the process sees; `#durable` is what a power failure leaves, apart from `#unsynced`: changes that no sync has
 * covered, each of which is there afterwards or not. After the failure no call ends.
 */
export class MemoryDisk implements Disk {
  readonly #options: MemoryDiskOptions
  readonly #live: Map<string, Uint8Array>
  readonly #durable: Map<string, Uint8Array>
  #unsynced: { readonly path: string; apply(): void }[] = []
  #calls = 0
  readonly #failed = Promise.withResolvers<void>()

  constructor(image: Image, options: MemoryDiskOptions) {
    this.#options = options
    this.#live = new Map(image)
    this.#durable = new Map(image)
  }

  /** Ends when the power has failed. */
  get failed(): Promise<void> {
    return this.#failed.promise
  }

  /** What is found when the power is back. */
  image(): Image {
    const { random } = this.#options
    // A file whose removal was under way may be gone.
    for (const { path, apply } of this.#unsynced) if (random.int(2) === 0 && this.#durable.has(path)) apply()
    this.#unsynced = []
    return new Map(this.#durable)
  }

  /** The files as the process sees them. */
  files(): Image {
    return this.#live
  }

  async names(directory: string): Promise<readonly string[]> {
    const paths = [...this.#live.keys()].filter((path) => path.startsWith(`${directory}/`))
    return paths.map((path) => path.slice(directory.length + 1)).sort()
  }

  async read(path: string): Promise<Uint8Array> {
    return bytesAt(this.#live, path)
  }

  writeWhole(path: string, parts: Iterable<Uint8Array>, { exclusive = false } = {}): Promise<number> {
    if (exclusive && this.#live.has(path)) {
      return Promise.reject(Object.assign(new Error(`EEXIST: file already exists, link '${path}'`), { code: "EEXIST" }))
    }
    const bytes = Buffer.concat([...parts])
    const half = () => {
      const { random } = this.#options
      if (random.int(3) === 0) this.#durable.set(path, bytes)
      else if (random.int(2) === 0) this.#durable.set(`${path}.new`, bytes.subarray(0, random.int(bytes.length + 1)))
    }
    return this.#call(half, () => {
      this.#live.set(path, bytes)
      this.#durable.set(path, bytes)
      // The directory was synced, and with it every name that was removed before.
      this.#sync((other) => !this.#live.has(other))
      return bytes.length
    })
  }

  openLog(path: string): Promise<LogFile> {
    return this.#call(
      () => {},
      () => ({
        write: (bytes, position) => this.#write(path, bytes, position),
        truncate: (size) =>
          this.#call(
            () => {},
            () => {
              this.#live.set(path, bytesAt(this.#live, path).slice(0, size))
              this.#unsynced.push({ path, apply: () => this.#durable.set(path, bytesAt(this.#durable, path).slice(0, size)) })
            },
          ),
        cut: (size) => this.truncate(path, size),
        close: async () => {},
      }),
    )
  }

  truncate(path: string, size: number): Promise<void> {
    const cut = () => void this.#durable.set(path, bytesAt(this.#durable, path).slice(0, size))
    return this.#call(
      () => (this.#options.random.int(2) === 0 ? cut() : undefined),
      () => {
        this.#live.set(path, bytesAt(this.#live, path).slice(0, size))
        this.#sync((other) => other === path)
        cut()
      },
    )
  }

  remove(path: string): Promise<void> {
    return this.#call(
      () => (this.#options.random.int(2) === 0 ? void this.#durable.delete(path) : undefined),
      () => {
        this.#live.delete(path)
        this.#unsynced.push({ path, apply: () => void this.#durable.delete(path) })
      },
    )
  }

  turn(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(resolve)
    })
  }

  #write(path: string, bytes: Uint8Array, position: number): Promise<void> {
    const whole = () => this.#durable.set(path, written(bytesAt(this.#durable, path), bytes, position))
    const someSectors = () => {
      const { random } = this.#options
      const likely = random.int(3)
      for (let from = position - (position % sector); from < position + bytes.length; from += sector) {
        if (random.int(3) > likely) continue
        const part = bytes.subarray(Math.max(0, from - position), from + sector - position)
        this.#durable.set(path, written(bytesAt(this.#durable, path), part, Math.max(from, position)))
      }
    }
    return this.#call(someSectors, () => {
      this.#live.set(path, written(bytesAt(this.#live, path), bytes, position))
      if (this.#options.lies) return void this.#unsynced.push({ path, apply: whole })
      this.#sync((other) => other === path)
      whole()
    })
  }

  /** Carries out what no sync has covered so far. */
  #sync(covers: (path: string) => boolean): void {
    for (const { path, apply } of this.#unsynced) if (covers(path) && this.#durable.has(path)) apply()
    this.#unsynced = this.#unsynced.filter(({ path }) => !covers(path))
  }

  /** One call, which the power failure leaves half done. It takes a turn of the event loop, as one of a real disk does at least. */
  async #call<T>(half: () => void, whole: () => T): Promise<T> {
    const { failAt } = this.#options
    if (failAt === undefined) return whole()
    const call = this.#calls++
    await this.turn()
    if (call < failAt) return whole()
    if (call === failAt) {
      half()
      this.#failed.resolve()
    }
    return new Promise<never>(() => {})
  }
}

function bytesAt(files: Image, path: string): Uint8Array {
  const bytes = files.get(path)
  if (bytes === undefined) throw Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: "ENOENT" })
  return bytes
}

function written(before: Uint8Array, bytes: Uint8Array, position: number): Uint8Array {
  const after = new Uint8Array(Math.max(before.length, position + bytes.length))
  after.set(before)
  after.set(bytes, position)
  return after
}
