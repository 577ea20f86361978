// npm run test:real -- messages: bad requests, the same to the real API server and to ours; the words of refusal must be the same.
import { causesIn, comparable, difference, withoutOrder } from "../api/comparable.ts"
import { isRecord } from "../api/objects/object.ts"
import type { ApiAnswer, ApiClient } from "../api-client.ts"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Row } from "./row.ts"
import { table } from "./rows/index.ts"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

/** Without controllers nothing creates the service accounts that this plugin requires. */
const disabledPlugins = ["ServiceAccount"]

async function run({ tally }: SuiteContext): Promise<void> {
  await using real = await startControlPlane({ apiServerFlags: [`--disable-admission-plugins=${disabledPlugins}`] })
  await using ours = await startOurApiServer({ disabledPlugins })
  for (const [subject, rows] of Object.entries(table)) {
    await tally.group(`${rows.length} requests: ${subject}`, async (group) => {
      // One after the other: later rows work with what earlier ones have made.
      for (const row of rows) group.case(row.name, await differenceIn(row, real.client, ours.client))
    })
  }
}

async function differenceIn(row: Row, real: ApiClient, ours: ApiClient): Promise<string | undefined> {
  if (row.afterInformer === true) await untilAllowed(row, real)
  const [theirs, own] = await Promise.all([real.send(row), ours.send(row)])
  if (row.alike !== undefined) return isAlike(theirs, own) ? undefined : `the server: ${theirs.status}, ours: ${own.status} ${shown(own)}`
  const found = difference(readable(row, theirs), readable(row, own))
  return found && `${found}\n${row.verb} ${row.path}\nthe server: ${theirs.status} ${shown(theirs)}\nours: ${own.status} ${shown(own)}`
}

/** Each dry run is a round trip, which the informer's event is quicker than: a few are enough. */
async function untilAllowed(row: Row, real: ApiClient): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const { status } = await real.send({ ...row, query: { ...row.query, dryRun: "All" } })
    if (status < 300) return
  }
}

/** A 500 is never the right answer to a bad request: there any refusal of ours will do. */
function isAlike(theirs: ApiAnswer, own: ApiAnswer): boolean {
  return theirs.status === 500 ? own.status >= 400 && own.status < 500 : theirs.status === own.status
}

/** What must be equal: a refusal as a whole; an object without what chance has put into it. */
function readable({ query }: Row, answer: ApiAnswer): unknown {
  const { status } = answer
  if (status < 300 && query?.watch !== undefined) return { status }
  if (status < 300) return { status, body: withoutAddresses(comparable(answer.value)) }
  return { status, body: withoutOrder(withoutRepetition(withoutNumbers(answer.value))) }
}

/** Each server gives out addresses by chance. */
function withoutAddresses(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/"10\.0\.\d+\.\d+"/g, '"<address>"'))
}

/** On updates upstream finds some faults twice, and says so twice. */
function withoutRepetition(status: unknown): unknown {
  const causes = causesIn(status)
  if (causes.length < 2 || !isRecord(status)) return status
  const once = [...new Set(causes.map((cause) => JSON.stringify(cause)))].map((text) => JSON.parse(text))
  return { ...status, details: { ...(status.details as object), causes: once } }
}

/** Revisions and uids differ from server to server. */
function withoutNumbers(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "null"
  return JSON.parse(
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
      .replaceAll(/(Settings-)[a-z0-9]{5}/g, "$1<letters>")
      .replaceAll(/((?:resourceVersion|version|ResourceVersion): |in record \(|in object meta: )\d+/g, "$1<n>"),
  )
}

function shown({ bytes }: ApiAnswer): string {
  return bytes.toString().slice(0, 1500)
}
