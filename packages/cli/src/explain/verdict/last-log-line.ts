import { messageOf, type Transport } from "@pilothouse/seams"
import { printPodLog } from "../../client/pod-log.ts"
import { printable } from "../history/read-trace.ts"
import type { ContainerPlace, Verdict } from "./verdict.ts"

/** How much of a line is shown. */
const maxLength = 200

/** Adds the last line that a crashed container printed to the verdict, where there is one and the user may read it. */
export async function withLastLogLine(transport: Transport, verdict: Verdict): Promise<Verdict> {
  if (verdict.crashed === undefined) return verdict
  const line = (await lastLine(transport, verdict.crashed, true)) ?? (await lastLine(transport, verdict.crashed, false))
  return line === undefined ? verdict : { ...verdict, summary: `${verdict.summary}; last log line: ${line}` }
}

/** Of the run before the last restart, or of this one. A log that cannot be read is none: the verdict stands without it. */
async function lastLine(
  transport: Transport,
  { namespace, pod, container }: ContainerPlace,
  isPrevious: boolean,
): Promise<string | undefined> {
  const query = { container, tailLines: "1", limitBytes: "4096", ...(isPrevious && { previous: "true" }) }
  const parts: Uint8Array[] = []
  const failure = await printPodLog(transport, { name: pod, namespace }, query, (bytes) => parts.push(bytes)).catch(messageOf)
  const text = new TextDecoder().decode(Buffer.concat(parts)).trimEnd().split("\n").at(-1) ?? ""
  return failure !== undefined || text === "" ? undefined : printable(text).slice(0, maxLength)
}
