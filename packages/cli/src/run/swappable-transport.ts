import { type Credentials, type DefaultTransport, defaultTransport, retrying } from "@pilothouse/runtime"
import type { Clock, Random, Transport } from "@pilothouse/seams"
import { RetiringConnection } from "./retiring-connection.ts"

export interface ClusterChoice {
  readonly kubeconfig: string
  readonly context: string
}

/**
 * A connection whose kubeconfig can be read again: requests that come later take the new one, those under way end on the old one, which is closed when
 * nothing runs on it any more.
 */
export interface SwappableTransport extends AsyncDisposable {
  readonly transport: Transport
  readonly server: string
  /** PEM of what the server is checked by; undefined where the system's authorities are. */
  authorities(): string | undefined
  /** Throws, and keeps the old one, where the new one cannot be read. */
  reopen(choice: ClusterChoice): Promise<void>
}

/** With credentials, they are who asks, and not the user of the kubeconfig. */
export async function swappableTransport(
  choice: ClusterChoice,
  seams: { readonly clock: Clock; readonly random: Random },
  credentials?: Credentials,
): Promise<SwappableTransport> {
  const open = async ({
    kubeconfig,
    context,
  }: ClusterChoice): Promise<{ readonly opened: DefaultTransport; readonly connection: RetiringConnection }> => {
    const where = { kubeconfig: kubeconfig || undefined, context: context || undefined }
    const opened = await defaultTransport({ ...where, credentials, clock: seams.clock })
    const close = () => opened.close()
    return { opened, connection: new RetiringConnection(retrying(opened.transport, seams), close, seams.clock) }
  }
  let current = await open(choice)
  const old = new Set<RetiringConnection>()
  return {
    transport: (request) => current.connection.transport(request),
    get server() {
      return current.opened.server
    },
    authorities: () => current.opened.authorities(),
    async reopen(next) {
      const fresh = await open(next)
      const before = current.connection
      current = fresh
      old.add(before)
      // One that could not be closed stays: whoever disposes of all is told why.
      before.retire().then(
        () => old.delete(before),
        () => {},
      )
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...old, current.connection].map((one) => one[Symbol.asyncDispose]()))
    },
  }
}
