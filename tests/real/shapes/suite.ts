// npm run test:real -- shapes: every kind is made on the real API server and on ours, once as people write it and once with nothing said; the whole
// answers must be the same, with every default, and with Go's explicit nulls and empty values.
import { causesIn, comparable, withoutOrder } from "../api/comparable.ts"
import { collectionOf, namespace } from "../api/live-objects.ts"
import { samples } from "../api/objects/all.ts"
import { isRecord, type SampleObject } from "../api/objects/object.ts"
import type { ApiAnswer, ApiRequest } from "../api-client.ts"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import { differences } from "./differences.ts"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

/** Without controllers nothing creates the service accounts that this plugin requires. */
const disabledPlugins = ["ServiceAccount"]

/** Where ours is another, and why. */
const known: readonly RegExp[] = [
  // No controller of ours would take the finalizer away again.
  /^VolumeAttributesClass .*\.metadata\.finalizers/,
  // Custom resources are not served yet: a definition is kept as it is said.
  /^CustomResourceDefinition nothing/,
  /^CustomResourceDefinition .*\.status\./,
  // Said by the part that shares out the server's time, which ours has not.
  /^FlowSchema .*\.status\.conditions/,
]

async function run({ tally }: SuiteContext): Promise<void> {
  await using real = await startControlPlane({ apiServerFlags: [`--disable-admission-plugins=${disabledPlugins}`] })
  await using ours = await startOurApiServer({ disabledPlugins })
  const ask = (request: ApiRequest) => Promise.all([real.client.send(request), ours.client.send(request)])
  await ask({ verb: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } })
  const compare = async (title: string, request: ApiRequest) => {
    const [theirs, own] = await ask(request)
    const found = differences(readable(theirs), readable(own)).map((line) => `${title}${line}`)
    return found.filter((line) => !known.some((pattern) => pattern.test(line))).join("\n") || undefined
  }
  await tally.group("every kind with nothing said", async (group) => {
    for (const sample of kindsOf(samples)) {
      const { apiVersion, kind, metadata } = sample
      for (const spec of [{}, { spec: {} }]) {
        const body = { apiVersion, kind, metadata: { name: metadata.name }, ...spec }
        const title = `${kind} nothing${"spec" in spec ? ", with a spec" : ""} `
        group.case(title, await compare(title, { verb: "POST", path: collectionOf(sample), query: { dryRun: "All" }, body }))
      }
    }
  })
  await tally.group("every kind as people write it", async (group) => {
    for (const sample of samples) {
      const title = `${sample.kind} ${sample.metadata.name} `
      group.case(title, await compare(title, { verb: "POST", path: collectionOf(sample), body: sample }))
      group.case(`${title}read`, await compare(title, { verb: "GET", path: `${collectionOf(sample)}/${sample.metadata.name}` }))
    }
  })
}

/** One of each. */
function kindsOf(all: readonly SampleObject[]): readonly SampleObject[] {
  return [...new Map(all.map((sample) => [`${sample.apiVersion} ${sample.kind}`, sample])).values()]
}

function readable({ status, value }: ApiAnswer): unknown {
  const body = status < 300 ? withoutChance(comparable(value)) : causesIn(value).length < 2 ? value : withoutOrder(value)
  return { status, body }
}

/** Each server gives out addresses and ports by chance, and writes its own managed fields. */
function withoutChance(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/"10\.0\.\d+\.\d+"/g, '"<address>"')
    .replaceAll(/("(?:nodePort|healthCheckNodePort)":)\d+/g, "$10")
  const parsed: unknown = JSON.parse(text)
  return isRecord(parsed) ? parsed : value
}
