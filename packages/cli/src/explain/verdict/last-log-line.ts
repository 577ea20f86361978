import { messageOf, type Transport } from "@pilothouse/seams"
import { printPodLog } from "../../client/pod-log.ts"
import { printable } from "../../client/printable.ts"
import type { ContainerPlace, Verdict } from "./verdict.ts"

/** How much of a line is shown. */
const maxLength = 200

/** Lines that may stand between an uncaught error and the end of a log: its stack. */
const maxStack = 60

/** With these a log ends after an uncaught error of Node, Go or the JVM: they say where it happened, not what. */
const endOfStack = /^(?:Node\.js v|[ \t]+at |\t\S*\.go:\d|exit status \d|[}] ?$)/

/** The first line of such an error. */
const errorLine = /^(?:Uncaught |panic: |fatal error: |Exception in thread |[\w.$]{0,100}(?:Error|Exception)(?: \[\w{1,50}\])?: )/

/** Adds the last line that a crashed container printed to the verdict, or the error whose stack it is, where there is one and the user may read it. */
export async function withLastLogLine(transport: Transport, verdict: Verdict): Promise<Verdict> {
  if (verdict.crashed === undefined) return verdict
  const said = (await lastWords(transport, verdict.crashed, true)) ?? (await lastWords(transport, verdict.crashed, false))
  return said === undefined ? verdict : { ...verdict, summary: `${verdict.summary}; ${said}` }
}

/** Of the run before the last restart, or of this one. */
async function lastWords(transport: Transport, place: ContainerPlace, isPrevious: boolean): Promise<string | undefined> {
  const last = (await lastLines(transport, place, { isPrevious, count: 1 }))?.at(-1)
  if (last === undefined) return undefined
  const error =
    endOfStack.test(last) && (await lastLines(transport, place, { isPrevious, count: maxStack }))?.findLast((line) => errorLine.test(line))
  return error ? `its log ends with: ${shown(error)}` : `last log line: ${shown(last)}`
}

function shown(line: string): string {
  return printable(line).slice(0, maxLength)
}

/** A log that cannot be read is none: the verdict stands without it. */
async function lastLines(
  transport: Transport,
  { namespace, pod, container }: ContainerPlace,
  { isPrevious, count }: { readonly isPrevious: boolean; readonly count: number },
): Promise<readonly string[] | undefined> {
  const query = {
    container,
    tailLines: String(count),
    limitBytes: String(4096 * Math.min(count, 16)),
    ...(isPrevious && { previous: "true" }),
  }
  const parts: Uint8Array[] = []
  const failure = await printPodLog(transport, { name: pod, namespace }, query, (bytes) => parts.push(bytes)).catch(messageOf)
  const text = new TextDecoder().decode(Buffer.concat(parts)).trimEnd()
  return failure !== undefined || text === "" ? undefined : text.split("\n")
}
