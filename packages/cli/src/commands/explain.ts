import { type ConditionLike, type Descriptor, type KubeObject, keyOf } from "@pilothouse/api"
import { createControllers } from "@pilothouse/controllers"
import { PilothouseError, silentLog } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { addConnectionOptions, type Connection, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { findOne, refuseMany, shownName } from "../client/find-resource.ts"
import { orNearest } from "../client/nearest-name.ts"
import { fetchTable, formatTable } from "../client/table.ts"
import { formatExplained } from "../explain/answer/format.ts"
import { sectionsOf } from "../explain/answer/sections.ts"
import { namedAsSwitched } from "../explain/controller-flag-names.ts"
import { dependentsOf } from "../explain/dependents.ts"
import { eventsAbout } from "../explain/events.ts"
import type { ExplainContext } from "../explain/explain-context.ts"
import { dryRunControllers, type TraceAnswer, traceOf } from "../explain/history/dry-run.ts"
import { askLeader, type HistorySource, isNamed, leaseKey } from "../explain/history/leader.ts"
import { serverTime } from "../explain/history/server-time.ts"
import { unreadyPodLines } from "../explain/pods/unready-pods.ts"
import { reconcilesForObject, type TracedReconcile } from "../explain/trace.ts"
import { unservedLine } from "../explain/unserved-kinds.ts"
import { httpUrl } from "../flags/flag-values.ts"

interface ExplainOptions extends ConnectionOptions, HistorySource {}

export function addExplainCommand(program: Command): void {
  addConnectionOptions(program.command("explain <object...>"))
    .description("why an object is as it is: what the controllers saw, decided and did, and what they wait for: explain deployment/web")
    .option("--server <url>", "where the leader of `pilothouse run` answers (default: what its Lease says)", httpUrl("--server"))
    .option("--lease <key>", "that Lease (default: kube-controller-manager and kuryr-controller of kube-system)", leaseKey)
    .action(async (words: string[], options: ExplainOptions) => {
      refuseMany(words)
      await using connection = await openConnection(options)
      process.stdout.write(await explain(connection, words, options))
    })
}

/** The whole answer, as text. */
export async function explain(connection: Connection, words: readonly string[], source: HistorySource = {}): Promise<string> {
  const { client, namespace, defaultNamespace } = connection
  const { of, name } = await findOne(client, words)
  const where = of.namespaced ? namespace : undefined
  const found = client.get(of, keyOf({ metadata: { name, namespace: where } }))
  const object = await orNearest(client, { of, name, namespace: where }, found)
  const trace: TraceAnswer = await traceOf(connection.transport).catch(() => ({}))
  const { reconciles, note } = await remembered(connection, of, object, source, isNamed(source) ? {} : trace)
  const { now, note: clock } = await serverTime(connection.transport, systemClock)
  const asked: ExplainContext = { now, defaultNamespace, controllers: trace.controllers, reconciles }
  const [table, events, dependents, sections] = await Promise.all([
    fetchTable(client, of, { namespace: where, name }),
    eventsAbout(client, object, now),
    dependentsOf(client, object),
    sectionsOf(client, of, object, asked),
  ])
  const held = await unreadyPodLines(
    client,
    where,
    dependents.flatMap((one) => one.pods),
    asked,
  )
  const title = `${shownName(of, name)}${where === undefined ? "" : ` in ${where}`}`
  const conditions = conditionsOf(object)
  return formatExplained({
    title,
    state: formatTable(table),
    conditions,
    reconciles: namedAsSwitched(reconciles),
    events,
    dependents,
    sections: [
      { title: "Clock", lines: clock === undefined ? [] : [clock] },
      ...sections,
      { title: "What its pods wait for", lines: held },
    ],
    // Elsewhere another program may: only of a cluster of `up` it is known which controllers run.
    unserved: trace.controllers === undefined ? undefined : unservedLine(of),
    note,
    now,
  })
}

/** History where the cluster is one of ours, or where one of us leads; otherwise what its controllers would do now. Only that of the named source, where one is named. */
async function remembered(
  connection: Connection,
  of: Descriptor,
  object: KubeObject,
  source: HistorySource,
  { entries = [], controllers: running }: TraceAnswer,
): Promise<{ reconciles: readonly TracedReconcile[]; note?: string }> {
  const inProcess = reconcilesForObject(entries, object)
  if (inProcess.length > 0) return { reconciles: inProcess }
  const say = (line: string) => void process.stderr.write(`pilothouse: ${line}\n`)
  const asked = await askLeader(connection, source, { clock: systemClock, say })
  // A user who names a leader gets its history, and no other source for it.
  if (isNamed(source) && asked.failure !== undefined) throw new PilothouseError("INVALID", asked.failure)
  const reconciles = reconcilesForObject(asked.reconciles, object)
  if (reconciles.length > 0) return { reconciles }
  const seams = { clock: systemClock, random: systemRandom(), log: silentLog }
  const dryRun = await dryRunControllers({ ...seams, of, object, transport: connection.transport, controllers: createControllers() })
  const absent = dryRun.filter(({ controller }) => running !== undefined && !running.includes(controller))
  if (absent.length > 0) return withAbsent(dryRun, absent)
  const why = asked.failure === undefined ? "no history was found here" : `no history: ${asked.failure}`
  return { reconciles: dryRun, note: `${why}: observed and decided now, and nothing written` }
}

/** What no controller is going to do must not read as if it were about to happen. */
function withAbsent(
  reconciles: readonly TracedReconcile[],
  absent: readonly TracedReconcile[],
): { reconciles: readonly TracedReconcile[]; note: string } {
  const marked = reconciles.map((reconcile) => (absent.includes(reconcile) ? { ...reconcile, absent: true } : reconcile))
  const names = [...new Set(absent.map(({ controller }) => controller))].join(", ")
  return { reconciles: marked, note: `if ${names} ran here: observed and decided now, and nothing written` }
}

function conditionsOf(object: KubeObject): readonly string[] {
  const { status } = object as { readonly status?: { readonly conditions?: readonly ConditionLike[] | null } | null }
  // A server that writes Go's empty lists as null does so here too.
  return (status?.conditions ?? []).map(({ type, status, reason, message }) => {
    const why = [reason, message].filter((text) => text !== undefined && text !== "").join(": ")
    return `${type} is ${status}${why === "" ? "" : `, ${why}`}`
  })
}
