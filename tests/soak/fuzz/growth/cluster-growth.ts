import type { Random } from "@pilothouse/seams"
import { silentLog } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { collectionOf, fuzzedKinds } from "../kinds.ts"
import { alphabetNames, alphabets } from "./alphabets.ts"
import { type FieldPlace, growableFields, grownValue, objectWith } from "./fields.ts"
import { type Growth, superLinear } from "./growth.ts"
import { type ReadText, readTexts } from "./read-texts.ts"

/** Kinds that controllers, the scheduler or the kubelet read. */
const readKinds: readonly string[] = [
  "Pod",
  "Job",
  "CronJob",
  "Deployment",
  "ReplicaSet",
  "ReplicationController",
  "StatefulSet",
  "DaemonSet",
  "Service",
  "Endpoints",
  "EndpointSlice",
  "HorizontalPodAutoscaler",
  "PodDisruptionBudget",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "StorageClass",
  "Node",
  "Namespace",
  "ResourceQuota",
  "ServiceAccount",
  "Secret",
  "CertificateSigningRequest",
]

const textSizes = [1, 200, 1600, 12_800]
const itemSizes = [1, 40, 320]
/** Growths in one cluster: what they leave behind is reconciled again and again. */
const clusterLife = 20
/** Virtual time that controllers have: a CronJob comes due within it. */
const time = "90s"

/**
 * The same in a whole cluster in virtual time: the object is created, and all that read it have a minute and a half. What counts is the CPU time of all of
 * it together.
 */
export async function growInCluster(random: Random, requests: number, found: (fault: string) => void): Promise<number> {
  const counter = { requests: 0 }
  const fields = growableFields(fuzzedKinds.filter(({ kind }) => readKinds.includes(kind)))
  while (counter.requests < requests) {
    await using made = await cluster({ log: silentLog, nodes: 1 })
    for (let count = 0; count < clusterLife && counter.requests < requests; count++) {
      const alphabet = alphabetNames[random.int(alphabetNames.length)]!
      const field = fields[random.int(fields.length)]!
      const growth =
        random.int(3) === 0
          ? textGrowth(made, readTexts[random.int(readTexts.length)]!, alphabet)
          : growthOf(made, field.places[random.int(field.places.length)]!, alphabet)
      const fault = await superLinear(growth, counter)
      if (fault !== undefined) found(fault)
    }
  }
  return counter.requests
}

function growthOf(made: Cluster, place: FieldPlace, alphabet: string): Growth {
  const { kind, path, schema } = place
  const isText = schema.type === "string"
  const where = path.map((part) => (typeof part === "number" ? "[]" : `.${part}`)).join("")
  return {
    name: `${kind.kind}${where} in a cluster, ${isText ? alphabet : schema.type}`,
    sizes: isText ? textSizes : itemSizes,
    async run(size) {
      const value = isText ? alphabets[alphabet]!(size) : grownValue(schema, size)
      await reconciled(made, collectionOf(kind), objectWith(place, "grown", value))
    },
  }
}

/** Grows a text that no schema names, with all that reads it. */
export function textGrowth(made: Cluster, { name, plural, object }: ReadText, alphabet: string): Growth {
  const collection = collectionOf(fuzzedKinds.find((kind) => kind.plural === plural)!)
  const run = (size: number) => reconciled(made, collection, object(alphabets[alphabet]!(size)))
  return { name: `${name} in a cluster, ${alphabet}`, sizes: textSizes, run }
}

/** Creates the object, lets time pass, and takes it away. */
async function reconciled({ transport, advance }: Cluster, path: string, object: object): Promise<void> {
  const headers = {}
  const { status, body } = await transport({ verb: "POST", path, query: {}, headers, body: { type: "value", value: object } })
  if (status !== 201) return
  const { metadata } = (body.type === "value" ? body.value : {}) as { readonly metadata?: { readonly name?: string } }
  await advance(time)
  const name = encodeURIComponent(metadata?.name ?? "grown")
  await transport({ verb: "DELETE", path: `${path}/${name}`, query: { gracePeriodSeconds: "0" }, headers })
  await advance("5s")
}
