import { type ConditionLike, type Descriptor, type KubeObject, keyOf } from "@pilothouse/api"
import { createControllers } from "@pilothouse/controllers"
import { type Clock, PilothouseError, silentLog } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { addConnectionOptions, type Connection, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { findOne, refuseMany, shownName } from "../client/find-resource.ts"
import { orNearest } from "../client/nearest-name.ts"
import { fetchTable, formatTable } from "../client/table.ts"
import { refusalLines } from "../explain/access/refused-requests.ts"
import { type Explained, formatExplained, verdictLine } from "../explain/answer/format.ts"
import { explanationJson } from "../explain/answer/json.ts"
import { sectionsOf } from "../explain/answer/sections.ts"
import { namedAsSwitched } from "../explain/controller-flag-names.ts"
import { dependentsOf } from "../explain/dependents.ts"
import { eventsAbout } from "../explain/events.ts"
import type { ExplainContext } from "../explain/explain-context.ts"
import { dryRunControllers, type TraceAnswer, traceOf } from "../explain/history/dry-run.ts"
import { askLeader, type HistorySource, isNamed, leaseKey } from "../explain/history/leader.ts"
import { serverTime } from "../explain/history/server-time.ts"
import { unreadyPodLines } from "../explain/pods/unready-pods.ts"
import { lastReconciles, reconcilesForObject, type TracedReconcile } from "../explain/trace.ts"
import { unservedLine } from "../explain/unserved-kinds.ts"
import { ClusterView, readClusterView } from "../explain/verdict/cluster-view.ts"
import { withLastLogLine } from "../explain/verdict/last-log-line.ts"
import { listUnwell } from "../explain/verdict/list-unwell.ts"
import { needsView, verdictOf } from "../explain/verdict/rules.ts"
import { degraded, type Verdict } from "../explain/verdict/verdict.ts"
import { httpUrl, oneOf } from "../flags/flag-values.ts"
import { stopRequest } from "../process/process.ts"

interface ExplainOptions extends ConnectionOptions, HistorySource {
  readonly allNamespaces?: boolean
  readonly history?: boolean
  readonly output?: "json"
  readonly watch?: boolean
}

export function addExplainCommand(program: Command): void {
  addConnectionOptions(program.command("explain [object...]"))
    .description("whether an object is well, and if not why; without an object, what is not well in the namespace")
    .option("-A, --all-namespaces", "without an object: of every namespace, and of nodes and namespaces")
    .option("--history", "with what the controllers saw, decided and did, and why")
    .option("-o, --output <format>", "json, for programs", oneOf("--output", ["json"]))
    .option("-w, --watch", "go on and print the first line again when it changes, until Ctrl-C")
    .option("--server <url>", "where the leader of `pilothouse run` answers (default: what its Lease says)", httpUrl("--server"))
    .option("--lease <key>", "that Lease (default: kube-controller-manager and kuryr-controller of kube-system)", leaseKey)
    .action(async (words: string[], options: ExplainOptions) => {
      refuseContradictions(words, options)
      await using connection = await openConnection(options)
      const print = (text: string) => void process.stdout.write(text)
      if (words.length === 0) return print(await explainNamespace(connection, options))
      if (!options.watch) return print(await explain(connection, words, options))
      using stop = stopRequest()
      await watchVerdict(connection, words, { print, clock: systemClock, signal: stop.signal })
    })
}

function refuseContradictions(words: readonly string[], { allNamespaces, watch, output }: ExplainOptions): void {
  const refuse = (expected: string, found: string) => {
    throw new PilothouseError("USAGE", `expected ${expected}, found ${found}`)
  }
  if (words.length > 0) refuseMany(words)
  if (words.length > 0 && allNamespaces) refuse("an object or --all-namespaces", "both: -n names the namespace of the object")
  if (words.length === 0 && watch) refuse("an object with --watch, such as deployment/web", "none")
  if (watch && output !== undefined) refuse("one of --watch and --output", "both")
}

/** The whole answer about an object, as text or as JSON. */
export async function explain(
  connection: Connection,
  words: readonly string[],
  options: HistorySource & Pick<ExplainOptions, "history" | "output"> = {},
): Promise<string> {
  const asked = await find(connection, words)
  const explained = await explainObject(connection, asked, options)
  if (options.output === "json") return explanationJson(asked.object, explained)
  return formatExplained({ ...explained, isHistoryShown: options.history })
}

interface Found {
  readonly of: Descriptor
  readonly where: string | undefined
  readonly object: KubeObject
}

async function find({ client, namespace }: Connection, words: readonly string[]): Promise<Found> {
  const { of, name } = await findOne(client, words)
  const where = of.namespaced ? namespace : undefined
  const found = client.get(of, keyOf({ metadata: { name, namespace: where } }))
  return { of, where, object: await orNearest(client, { of, name, namespace: where }, found) }
}

async function explainObject(connection: Connection, { of, where, object }: Found, source: HistorySource): Promise<Explained> {
  const { client, defaultNamespace } = connection
  const { name = "" } = object.metadata
  const trace: TraceAnswer = await traceOf(connection.transport).catch(() => ({}))
  const { reconciles, note } = await remembered(connection, of, object, source, isNamed(source) ? {} : trace)
  const { now, note: clock } = await serverTime(connection.transport, systemClock)
  const asked: ExplainContext = { now, defaultNamespace, controllers: trace.controllers, reconciles }
  const unserved = trace.controllers === undefined ? undefined : unservedLine(of)
  const [verdict, table, events, dependents, sections, refused] = await Promise.all([
    judge(connection, { of, where, object }, { now, reconciles, unserved }),
    fetchTable(client, of, { namespace: where, name }),
    eventsAbout(client, object, now),
    dependentsOf(client, object),
    sectionsOf(client, of, object, asked),
    refusalLines(client, reconciles),
  ])
  const held = await unreadyPodLines(
    client,
    where,
    dependents.flatMap((one) => one.pods),
    asked,
  )
  return {
    title: titleOf(of, object),
    verdict,
    state: formatTable(table),
    conditions: conditionsOf(object),
    reconciles: namedAsSwitched(reconciles),
    events,
    dependents,
    sections: [
      { title: "Clock", lines: clock === undefined ? [] : [clock] },
      { title: "Rights", lines: refused },
      ...sections,
      { title: "What its pods wait for", lines: held },
    ],
    // Elsewhere another program may: only of a cluster of `up` it is known which controllers run.
    unserved,
    note,
    now,
  }
}

function titleOf(of: Descriptor, { metadata: { name = "", namespace } }: KubeObject): string {
  return `${shownName(of, name)}${namespace === undefined ? "" : ` in ${namespace}`}`
}

interface JudgeFacts {
  readonly now: number
  readonly reconciles?: readonly TracedReconcile[]
  readonly unserved?: string
}

/** The verdict by the cluster's objects; where they show nothing wrong, a controller that fails at the object is what is wrong. */
async function judge({ client, transport }: Connection, { of, where, object }: Found, facts: JudgeFacts): Promise<Verdict> {
  const { now, reconciles = [], unserved } = facts
  const view = needsView(of) ? await readClusterView(client, where, now) : new ClusterView(now, new Map())
  const verdict = verdictOf(of, object, view)
  if (verdict.health === "degraded") return withLastLogLine(transport, verdict)
  if (unserved !== undefined) return { health: "suspended", summary: unserved }
  const last = lastReconciles(reconciles)
  const absent = last.find((reconcile) => reconcile.absent === true)
  if (absent !== undefined) return degraded(`${absent.controller} does not run here: --controllers of this cluster leaves it out`)
  const failing = last.find(({ error, conflict }) => error !== undefined && conflict !== true)
  return failing === undefined ? verdict : degraded(`${failing.controller} fails: ${failing.error}`)
}

/** Prints what is not healthy in the namespace, or in all: a line each, worst first. */
export async function explainNamespace(
  { client, transport, namespace }: Connection,
  { allNamespaces, output }: Pick<ExplainOptions, "allNamespaces" | "output">,
): Promise<string> {
  const where = allNamespaces ? undefined : namespace
  const { now } = await serverTime(transport, systemClock)
  const found = await listUnwell(client, where, now)
  if (output === "json") return `${JSON.stringify(found)}\n`
  if (found.length === 0) return `all is well${where === undefined ? "" : ` in ${where}`}\n`
  const shown = found.slice(0, maxUnwell)
  const lines = shown.map(({ name, namespace: its, verdict }) => {
    const place = its === undefined || its === where ? "" : ` in ${its}`
    return verdictLine(`${verdict.health}  ${name}${place}`, verdict)
  })
  const more = found.length - shown.length
  return `${[...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("\n")}\n`
}

/** Lines of a list that a person reads. */
const maxUnwell = 100
/** Milliseconds between two looks at an object that is watched. */
const watchPeriod = 1000

interface WatchOptions {
  readonly print: (text: string) => void
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Prints the first line of the explanation, and again whenever it has changed. */
export async function watchVerdict(
  connection: Connection,
  words: readonly string[],
  { print, clock, signal }: WatchOptions,
): Promise<void> {
  let last: string | undefined
  while (!signal.aborted) {
    const found = await find(connection, words)
    const { now } = await serverTime(connection.transport, clock)
    const line = verdictLine(titleOf(found.of, found.object), await judge(connection, found, { now }))
    if (line !== last) print(`${new Date(now).toISOString().slice(11, 19)} ${line}\n`)
    last = line
    await clock.sleep(watchPeriod, { signal }).catch(() => {})
  }
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
