import type { Readable, Writable } from "node:stream"
import { finished } from "node:stream"
import { messageOf, onAbort } from "@pilothouse/seams"
import type { StreamedProcess } from "../process/system/spawn.ts"
import type { CommandClient } from "./session/command-client.ts"
import { passOn } from "./session/pass-on.ts"

/** A command with what starts it. */
export interface ServedCommand {
  readonly argv: readonly string[]
  readonly start: () => Promise<StreamedProcess>
}

/** Runs a command for a client, to its end. A command whose client goes away is killed. */
export async function serveExec(client: CommandClient, { argv, start }: ServedCommand): Promise<void> {
  let command: StreamedProcess
  try {
    command = await start()
  } catch (error) {
    return client.finish({ message: `error executing command in container: ${messageOf(error)}` })
  }
  using _ = onAbort(client.closed, () => command.signal("SIGKILL"))
  if (client.stdin !== undefined && command.stdin !== undefined) passInput(client.stdin, command.stdin)
  const { resize, stdout, stderr } = command
  if (resize !== undefined) client.onResize((size) => resize(size))
  // With a terminal there is no output of errors: there only script(1) says that it could not make one.
  const outputs = [passOutput(stdout, client.stdout), stderr && passOutput(stderr, client.stderr)]
  const { exitCode } = await command.ended
  await Promise.all(outputs)
  await client.finish({ exitCode, message: `error executing command [${argv.join(" ")}]` })
}

/** The end of a client's input ends that of the command, where that is wanted. Returns how to stop it. */
export function passInput(from: Readable, to: Writable, { end = true } = {}): () => void {
  const stop = passOn(from, to, { end })
  // What comes when the command has closed its input is of no use to anything.
  to.once("close", () => {
    stop()
    from.resume()
  })
  return stop
}

/** Ends when all of it was passed on, as fast as the client takes it. */
async function passOutput(from: Readable, to: Writable | undefined): Promise<void> {
  if (to === undefined) {
    from.resume()
    return
  }
  from.pipe(to)
  // A command that is killed leaves its output open.
  from.once("close", () => to.end())
  await new Promise<void>((resolve) => finished(to, { readable: false }, () => resolve()))
}
