// A patch is sent to the real server. Ours is computed here, and what comes out is sent as a plain update: the server then defaults and checks both alike,
// so its two answers must be equal. Nothing is stored: all are dry runs.
import type { Schema } from "@pilothouse/api"
import { applyJsonPatch, applyMergePatch, applyStrategicMerge, PatchError, patchContentTypes } from "@pilothouse/api/patch"
import type { SeededRandom } from "@pilothouse/seams"
import type { ApiAnswer, ApiClient, ApiRequest } from "../api-client.ts"
import type { Group, Tally } from "../tally.ts"
import { causesIn, comparable, difference, messageIn, withoutOrder } from "./comparable.ts"
import { Draw } from "./draw.ts"
import { eachConcurrently } from "./each.ts"
import { drawJsonPatch } from "./json-patches.ts"
import type { LiveObject } from "./live-objects.ts"
import { drawMergePatch } from "./merge-patches.ts"
import { isRecord, type JsonObject } from "./objects/object.ts"
import { type PatchTarget, patchTargets } from "./patch-targets.ts"
import { revealed, revealing } from "./revealed-document.ts"
import { drawStrategicPatch } from "./strategic-patches.ts"

export const patchesOfEachType = 500

interface PatchType {
  readonly name: string
  readonly contentType: string
  /** True: the server shows the document that a patch made when it cannot be read as an object. */
  readonly reveals: boolean
  draw(draw: Draw, schema: Schema, live: JsonObject, path: string): unknown
  apply(value: unknown, patch: unknown, schema: Schema): unknown
}

export const patchTypes: readonly PatchType[] = [
  {
    name: "JSON patches",
    contentType: patchContentTypes.json,
    reveals: true,
    draw: drawJsonPatch,
    apply: (value, patch) => applyJsonPatch(value, patch),
  },
  {
    name: "merge patches",
    contentType: patchContentTypes.merge,
    reveals: true,
    draw: drawMergePatch,
    apply: (value, patch) => applyMergePatch(value, patch),
  },
  {
    name: "strategic merge patches",
    contentType: patchContentTypes.strategic,
    reveals: false,
    draw: drawStrategicPatch,
    apply: applyStrategicMerge,
  },
]

export async function judgePatches(tally: Tally, client: ApiClient, live: readonly LiveObject[], random: SeededRandom): Promise<void> {
  const targets = patchTargets(live)
  for (const type of patchTypes) {
    await tally.group(`${patchesOfEachType} ${type.name}`, (group) =>
      judgeType(type, { group, client, targets, draw: new Draw(random.fork(type.name)) }),
    )
  }
}

interface Judging {
  readonly group: Group
  readonly client: ApiClient
  readonly targets: readonly PatchTarget[]
  readonly draw: Draw
}

async function judgeType(type: PatchType, { group, client, targets, draw }: Judging): Promise<void> {
  const cases = Array.from({ length: patchesOfEachType }, () => {
    const target = draw.pick(targets)
    const patch = target.draw((schema, live, path) => type.draw(draw, schema, live, path))
    return { target, patch: type.reveals && draw.chance(0.25) ? revealing(patch) : patch }
  })
  const outcomes: Record<Outcome, number> = { accepted: 0, invalid: 0, "of a wrong type": 0, malformed: 0 }
  await eachConcurrently(cases, async ({ target, patch }) => {
    const verdict = await judge(type, client, target, patch).catch(broken)
    outcomes[verdict.outcome]++
    group.case(`${target.title}: ${JSON.stringify(patch)}`, verdict.difference)
  })
  group.note(
    Object.entries(outcomes)
      .map(([outcome, count]) => `${count} ${outcome}`)
      .join(", "),
  )
}

const query = { dryRun: "All", fieldValidation: "Ignore" }

/** The server hung up: it panicked. One case has failed then, not the rest of them. */
function broken(error: unknown): Verdict {
  return { outcome: "malformed", difference: `no answer came: ${error}` }
}

type Outcome = "accepted" | "invalid" | "of a wrong type" | "malformed"

interface Verdict {
  readonly outcome: Outcome
  readonly difference: string | undefined
}

async function judge(type: PatchType, client: ApiClient, target: PatchTarget, patch: unknown): Promise<Verdict> {
  const request: ApiRequest = { verb: "PATCH", path: target.path, query, contentType: type.contentType, body: patch }
  const theirs = await client.send(request)
  let ours: unknown
  try {
    ours = type.apply(target.object, patch, target.schema)
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    return { outcome: "malformed", difference: await refused(error, theirs, () => client.send(request)) }
  }
  if (causesIn(theirs.value).some(({ field }) => field === "patch"))
    return { outcome: "of a wrong type", difference: await wrongType(type, client, target, ours, theirs) }
  const update = await client.send({ verb: "PUT", path: target.path, query, body: ours })
  return { outcome: theirs.status < 300 ? "accepted" : "invalid", difference: answerDifference(theirs, update) }
}

/** Of two faults in one patch Go's map order chooses which the server names: it is asked again until it names ours. */
async function refused(error: PatchError, theirs: ApiAnswer, again: () => Promise<ApiAnswer>): Promise<string | undefined> {
  const first = refusalDifference(error, theirs)
  if (first === undefined || theirs.status < 400) return first
  for (let attempt = 0; attempt < 30; attempt++) {
    if (refusalDifference(error, await again()) === undefined) return undefined
  }
  return first
}

function refusalDifference(error: PatchError, { status, value }: ApiAnswer): string | undefined {
  // Of a patch that does not apply the server says no more than this.
  const expected = error.status === 422 ? "the server rejected our request due to an error in our request" : error.message
  if (status === error.status && messageIn(value) === expected) return undefined
  return `the server answers ${status} ${messageIn(value)}\nours refuses with ${error.status} ${error.message}`
}

async function wrongType(
  type: PatchType,
  client: ApiClient,
  target: PatchTarget,
  ours: unknown,
  theirs: ApiAnswer,
): Promise<string | undefined> {
  if (type.reveals) return difference(revealed(messageIn(theirs.value)), ours)
  const { status, value } = await client.send({ verb: "PUT", path: target.path, query, body: ours })
  return status === 400
    ? undefined
    : `the server cannot read what the patch made (${messageIn(theirs.value)}), but takes ours: ${status} ${messageIn(value)}`
}

function answerDifference(theirs: ApiAnswer, ours: ApiAnswer): string | undefined {
  if (theirs.status !== ours.status)
    return `the server answers ${theirs.status} ${shortened(theirs)}\nours as an update gives ${ours.status} ${shortened(ours)}`
  return difference(
    comparable(theirs.status < 300 ? theirs.value : withoutOrder(theirs.value)),
    comparable(ours.status < 300 ? ours.value : withoutOrder(ours.value)),
  )
}

function shortened({ status, value }: ApiAnswer): string {
  return status < 300 && isRecord(value) ? "" : messageIn(value)
}
