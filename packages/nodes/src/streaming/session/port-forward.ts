import { type Duplex, finished, type Readable, type Writable } from "node:stream"
import { messageOf } from "@pilothouse/seams"
import { passOn } from "./pass-on.ts"

/** Where the ports of one pod are. */
export interface ForwardedPod {
  /** As messages name it: "web_default, uid 4711". */
  readonly name: string
  dial(port: number, signal: AbortSignal): Promise<Duplex>
}

/** Both directions of a forwarded connection, and where what goes wrong is said. */
export interface PortStreams {
  readonly from: Readable
  readonly to: Writable
  readonly errors: Writable
}

/** Connects a port of a pod with the streams of a client, until both directions have ended. Never rejects: failures are sent to the client. */
export async function forwardPort({ from, to, errors }: PortStreams, port: number, pod: ForwardedPod): Promise<void> {
  const gone = new AbortController()
  // A client that gives up while its port is dialled.
  const giveUp = finished(from, { writable: false }, (error) => error && gone.abort())
  try {
    const target = await pod.dial(port, gone.signal)
    await spliced({ from, to }, target)
  } catch (error) {
    if (!errors.destroyed) errors.write(`error forwarding port ${port} to pod ${pod.name}: ${messageOf(error)}`)
    to.end()
  } finally {
    giveUp()
    // What comes for a program that has gone would fill the connection: then nothing of it is read, nor is its end noticed.
    from.resume()
    errors.end()
  }
}

/** Ends when both directions have. One that breaks takes the other with it. */
async function spliced({ from, to }: Pick<PortStreams, "from" | "to">, target: Duplex): Promise<void> {
  target.on("error", () => target.destroy())
  passOn(from, target)
  target.pipe(to)
  const over = (stream: Readable | Writable, options: { readonly readable: boolean; readonly writable: boolean }) =>
    new Promise<boolean>((resolve) => finished(stream as Duplex, options, (error) => resolve(!error)))
  const reading = { readable: true, writable: false }
  const writing = { readable: false, writable: true }
  // The target has ended, or the client has taken all of it; the other way round likewise.
  const [up, down] = [over(from, reading), over(target, reading)]
  void up.then((isWhole) => isWhole || target.destroy())
  void over(to, writing).then((isWhole) => isWhole || target.destroy())
  void down.then((isWhole) => isWhole || to.end())
  await Promise.all([over(target, { readable: true, writable: true }), over(to, writing)])
}
