import type { Duplex } from "node:stream"
import { abortable, type Clock, PilothouseError, withTimeout } from "@pilothouse/seams"
import { type CommandClient, type TerminalSize, terminalSizeIn, type WantedStreams } from "../session/command-client.ts"
import { commandError, commandStatus } from "../session/command-status.ts"
import type { StreamSession } from "../session/sessions.ts"
import { SpdyConnection } from "./connection.ts"
import { acceptSpdy } from "./protocol.ts"
import type { SpdyStream } from "./stream.ts"

/** Milliseconds in which a client must have opened its streams. */
const creationTime = 30_000

interface SpdyRequest {
  readonly connection: Duplex
  readonly clock: Clock
  readonly session: StreamSession
}

/** Accepts a client of exec or attach that speaks SPDY. Rejects, with the connection closed, when its streams do not come in time. */
export async function spdyClient(
  { connection: socket, clock, session }: SpdyRequest,
  protocol: string,
  wanted: WantedStreams,
): Promise<CommandClient> {
  const resizes = wanted.tty && (protocol.startsWith("v4.") || protocol.startsWith("v3."))
  const expected = new Set(
    ["error", wanted.stdin && "stdin", wanted.stdout && "stdout", wanted.stderr && "stderr", resizes && "resize"].filter(
      (type): type is string => type !== false,
    ),
  )
  const streams = new Map<string, SpdyStream>()
  const complete = Promise.withResolvers<void>()
  acceptSpdy(socket, protocol)
  const connection = new SpdyConnection({
    connection: socket,
    check(headers) {
      const type = headers.get("streamtype") ?? ""
      if (!expected.has(type) || streams.has(type)) throw new PilothouseError("INVALID", `invalid stream type ${JSON.stringify(type)}`)
    },
    open(stream) {
      streams.set(stream.headers.get("streamtype") ?? "", stream)
      if (streams.size === expected.size) complete.resolve()
    },
    session,
  })
  const closed = new AbortController()
  void connection.run().then(() => {
    closed.abort()
    complete.reject(new PilothouseError("CONNECTION_LOST", "the client closed its connection before it had opened its streams"))
  })
  try {
    const error = () => new PilothouseError("TIMEOUT", "timed out waiting for client to create streams")
    await withTimeout({ clock, timeout: creationTime, name: "a client opens its streams", error }, (signal) =>
      abortable(complete.promise, signal),
    )
  } catch (error) {
    connection.close()
    throw error
  }
  const [errors, resize] = [streams.get("error")!, streams.get("resize")]
  return {
    stdin: streams.get("stdin"),
    stdout: streams.get("stdout"),
    stderr: streams.get("stderr"),
    onResize: (listener) => readSizes(resize, listener),
    async finish(outcome) {
      const text = protocol.startsWith("v4.") ? JSON.stringify(commandStatus(outcome)) : commandError(outcome)
      if (text !== undefined) await written(errors, text)
      connection.close()
    },
    closed: closed.signal,
  }
}

function written(stream: SpdyStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.once("close", resolve)
    stream.end(text, () => resolve())
  })
}

/** Sizes come one behind the other, as JSON that ends with a new line or with its last brace. */
function readSizes(stream: SpdyStream | undefined, listener: (size: TerminalSize) => void): void {
  let text = ""
  stream?.setEncoding("utf8").on("data", (more: string) => {
    const sizes = `${text}${more}`.slice(-maxSizes).split("}")
    text = sizes.pop() ?? ""
    for (const one of sizes) {
      const size = terminalSizeIn(`${one}}`)
      if (size !== undefined) listener(size)
    }
  })
}

const maxSizes = 64 * 1024
