import { namespaces } from "@pilothouse/api/core/v1"
import {
  type Credentials,
  createClient,
  type DefaultTransport,
  type DefaultTransportOptions,
  defaultTransport,
  retrying,
} from "@pilothouse/runtime"
import {
  type Clock,
  type Files,
  type Frame,
  onAbort,
  PilothouseError,
  type Random,
  type Transport,
  type TransportResponse,
} from "@pilothouse/seams"

/** Milliseconds that a watch may go on on a connection that was replaced; then it is opened again on the new one. */
const maxRetirement = 600_000

export interface ClusterChoice {
  readonly kubeconfig: string
  readonly context: string
  /** With a kuryr.conf, its section [kubernetes] says where the cluster is, unless a kubeconfig was named. */
  readonly openstack?: boolean
  readonly "config-file"?: string
}

/**
 * A connection whose kubeconfig can be read again: requests that come later take the new one, those under way end on the old one, which is closed
 * when nothing runs on it any more.
 */
export interface SwappableTransport extends AsyncDisposable {
  readonly transport: Transport
  readonly server: string
  /** PEM of what the server is checked by; undefined where the system's authorities are. */
  authorities(): string | undefined
  /** Throws where the new one cannot be read, and where it leads to another cluster. */
  prepare(choice: ClusterChoice): Promise<FreshConnection>
}

/** One that is open, and without requests yet. Disposed of without being taken it is closed, and the old one stays. */
export interface FreshConnection extends AsyncDisposable {
  /** Requests that come from now on go over it. */
  take(): void
}

/** With credentials, they are who asks, and not the user of the kubeconfig. */
export async function swappableTransport(
  choice: ClusterChoice,
  seams: { readonly clock: Clock; readonly random: Random; readonly files: Files; readonly layer?: (transport: Transport) => Transport },
  credentials?: Credentials,
): Promise<SwappableTransport> {
  const open = async (next: ClusterChoice): Promise<{ readonly opened: DefaultTransport; readonly connection: RetiringConnection }> => {
    const opened = await defaultTransport({ ...(await whereOf(next, seams.files)), credentials, clock: seams.clock })
    const close = () => opened.close()
    return { opened, connection: new RetiringConnection(retrying(opened.transport, seams), close, seams.clock) }
  }
  let current = await open(choice)
  const old = new Set<RetiringConnection>()
  const { layer = (inner) => inner } = seams
  return {
    transport: layer((request) => current.connection.transport(request)),
    get server() {
      return current.opened.server
    },
    authorities: () => current.opened.authorities(),
    async prepare(next) {
      const fresh = await open(next)
      try {
        // Those of accounts go where the common one goes, which was asked.
        if (credentials === undefined) await refuseOtherCluster(current.opened, fresh.opened)
      } catch (error) {
        await fresh.connection[Symbol.asyncDispose]()
        throw error
      }
      let isTaken = false
      return {
        take() {
          isTaken = true
          const before = current.connection
          current = fresh
          old.add(before)
          // One that could not be closed stays: disposing of all reports why.
          before.retire().then(
            () => old.delete(before),
            () => {},
          )
        },
        async [Symbol.asyncDispose]() {
          if (!isTaken) await fresh.connection[Symbol.asyncDispose]()
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...old, current.connection].map((one) => one[Symbol.asyncDispose]()))
    },
  }
}

type Where = Pick<DefaultTransportOptions, "kubeconfig" | "context" | "files">

async function whereOf(choice: ClusterChoice, files: Files): Promise<Where> {
  const { kubeconfig, context, openstack, "config-file": file } = choice
  const named = { kubeconfig: kubeconfig || undefined, context: context || undefined }
  if (!openstack || !file || kubeconfig !== "" || context !== "") return named
  const { clusterInKuryrConf } = await import("../../openstack/cluster-choice.ts")
  return clusterInKuryrConf(file, files) ?? named
}

export interface Way {
  readonly server: string
  readonly transport: Transport
}

/**
 * Another address may be another cluster. Watches stay where they are for a while, and writes would go elsewhere at once: what was seen in the one
 * would be done in the other. So it has to show that it is the same.
 */
export async function refuseOtherCluster(now: Way, next: Way): Promise<void> {
  if (now.server === next.server) return
  const [before, after] = await Promise.all([clusterId(now), clusterId(next)])
  if (before !== undefined && before === after) return
  const found = before === undefined || after === undefined ? "one that does not show to be the same cluster" : "another cluster"
  throw new PilothouseError("INVALID", `expected the cluster of ${now.server}, found ${found} at ${next.server}; start again to work there`)
}

/** Every cluster has one of these, with a uid that no other has. Listed: a user with no other right may do that. */
async function clusterId({ transport }: Way): Promise<string | undefined> {
  try {
    const { items } = await createClient(transport, { userAgent: "pilothouse" }).list(namespaces, {
      fieldSelector: "metadata.name=kube-system",
    })
    return items[0]?.metadata.uid
  } catch {
    // Whatever it was: it did not show which one it is.
    return undefined
  }
}

/**
 * A connection that may be replaced.
 *
 * Invariant: it is closed, once, as soon as it was retired and nothing runs on it any more, or ten minutes after, or when it is disposed.
 */
export class RetiringConnection implements AsyncDisposable {
  readonly #inner: Transport
  readonly #close: () => PromiseLike<void>
  readonly #clock: Clock
  readonly #closed = Promise.withResolvers<void>()
  #isClosing = false
  #running = 0
  /** Set from when it was retired until it is closed. */
  #limit: Disposable | undefined

  constructor(inner: Transport, close: () => PromiseLike<void>, clock: Clock) {
    this.#inner = inner
    this.#close = close
    this.#clock = clock
  }

  readonly transport: Transport = async (request) => {
    const end = this.#begin()
    // A caller that gives up a stream before it reads it says so by its signal only.
    const listening = onAbort(request.signal, end)
    const over = () => {
      listening[Symbol.dispose]()
      end()
    }
    try {
      return followed(await this.#inner(request), over)
    } catch (error) {
      over()
      throw error
    }
  }

  /** Nothing new will be asked. Ends when it is closed. */
  retire(): Promise<void> {
    this.#limit ??= this.#clock.timer(maxRetirement, "a connection that was replaced", () => this.#end())
    if (this.#running === 0) this.#end()
    return this.#closed.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end()
    await this.#closed.promise
  }

  #begin(): () => void {
    let runs = true
    this.#running++
    return () => {
      if (!runs) return
      runs = false
      this.#running--
      if (this.#running === 0 && this.#limit !== undefined) this.#end()
    }
  }

  #end(): void {
    this.#limit?.[Symbol.dispose]()
    if (this.#isClosing) return
    this.#isClosing = true
    this.#close().then(this.#closed.resolve, this.#closed.reject)
  }
}

/** Calls `over` when the answer has been read: at once, but for a stream. */
function followed(response: TransportResponse, over: () => void): TransportResponse {
  const { body } = response
  if (body.type !== "stream") {
    over()
    return response
  }
  return { ...response, body: { ...body, frames: until(body.frames, over) } }
}

async function* until(frames: AsyncIterable<Frame>, over: () => void): AsyncGenerator<Frame> {
  try {
    yield* frames
  } finally {
    over()
  }
}
