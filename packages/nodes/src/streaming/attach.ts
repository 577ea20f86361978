import type { Readable, Writable } from "node:stream"
import { finished } from "node:stream"
import { onAbort } from "@pilothouse/seams"
import type { ProcessRun } from "../process/process-run.ts"
import { passInput } from "./exec.ts"
import type { CommandClient } from "./session/command-client.ts"

/** Bytes that a client may be behind the process that it is attached to: the process does not wait for it. */
const maxBehind = 1024 * 1024

export interface Attached {
  readonly run: ProcessRun
  /** The container's input ends with the first client that had it. */
  readonly stdinOnce: boolean
}

/** Connects a client with the main process of a container, until one of them has ended. What was printed before is not repeated. */
export async function serveAttach(client: CommandClient, { run, stdinOnce }: Attached): Promise<void> {
  const process = run.started?.process
  const over = Promise.withResolvers<string | undefined>()
  using _output = run.attach((stream, bytes) => {
    const to = client[stream]
    if (to === undefined) return
    if (to.writableLength > maxBehind) over.resolve(`the client is more than ${maxBehind} bytes behind the output of the container`)
    else to.write(bytes)
  })
  using _ended = onAbort(run.over.signal, () => over.resolve(undefined))
  using _closed = onAbort(client.closed, () => over.resolve(undefined))
  using _input = attachInput(client.stdin, process?.stdin, stdinOnce)
  client.onResize((size) => process?.resize?.(size))
  const fault = await over.promise
  if (fault === undefined) await Promise.all([client.stdout, client.stderr].map(ended))
  await client.finish(fault === undefined ? { exitCode: 0 } : { message: fault })
}

/** What a client writes is input of the process. With `once` that ends with the client, and it is not for another one. */
function attachInput(from: Readable | undefined, to: Writable | undefined, once: boolean): Disposable {
  if (from === undefined || to === undefined) {
    from?.resume()
    return { [Symbol.dispose]: () => undefined }
  }
  const stop = passInput(from, to, { end: once })
  return {
    [Symbol.dispose]() {
      stop()
      if (once) to.end()
    },
  }
}

function ended(output: Writable | undefined): Promise<void> {
  if (output === undefined) return Promise.resolve()
  return new Promise((resolve) => {
    finished(output, { readable: false }, () => resolve())
    output.end()
  })
}
