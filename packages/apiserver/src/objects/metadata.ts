import { badRequest, formatTime, type KubeObject, StatusError } from "@pilothouse/api"
import type { Draft } from "../body/draft.ts"
import type { Call } from "../server/call.ts"

const generatedLetters = 5
/** Upstream cuts a prefix so that prefix and letters fit into a label. */
const maxPrefix = 63 - generatedLetters

/** The namespace of a body is the path's; saying another one is a mistake. What is in no namespace loses the one that it says, as charts often do. */
export function matchNamespace(call: Call, object: Draft<KubeObject>): void {
  const expected = call.resource.descriptor.namespaced ? (call.namespace ?? "") : ""
  if (expected === "") return void delete object.metadata.namespace
  const given = object.metadata.namespace ?? ""
  if (given !== "" && given !== expected) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request")
  }
  object.metadata.namespace = expected
}

/** The name of a body is the path's, and has to be said: a patch may have taken it away. */
export function matchName(call: Call, object: Draft<KubeObject>): void {
  const given = object.metadata.name ?? ""
  if (given === "") throw badRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`)
  if (given !== call.name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${call.name})`)
  }
}

/** Removes what the server alone sets on a new object, whatever the body says. */
export function wipeSystemFields({ metadata }: Draft<KubeObject>): void {
  delete metadata.uid
  delete metadata.creationTimestamp
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  delete metadata.generation
  delete metadata.selfLink
}

/** Gives a new object its identity. Mutating admission has seen it without. */
export function fillSystemFields({ server }: Call, { metadata }: Draft<KubeObject>): void {
  metadata.uid = server.random.uuid()
  metadata.creationTimestamp = formatTime(server.clock.now())
}

export function generateName({ server }: Call, { metadata }: Draft<KubeObject>): void {
  if (metadata.name !== undefined || metadata.generateName === undefined) return
  metadata.name = `${metadata.generateName.slice(0, maxPrefix)}${server.random.letters(generatedLetters)}`
}

/** Upstream answers this with 500, and clients have come to know it; what is no number is left out. */
export function refuseResourceVersion({ metadata }: Draft<KubeObject>): void {
  if (metadata.resourceVersion === undefined) return
  if (!/^\d{1,20}$/.test(metadata.resourceVersion) || Number(metadata.resourceVersion) === 0) return void delete metadata.resourceVersion
  throw new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "resourceVersion should not be set on objects to be created",
    code: 500,
  })
}

/** An update can change none of these; what it says of them is replaced by what is stored. */
export function keepSystemFields({ metadata }: Draft<KubeObject>, old: KubeObject): void {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation } = old.metadata
  if (uid !== undefined) metadata.uid ??= uid
  if (deletionTimestamp !== undefined) metadata.deletionTimestamp = deletionTimestamp
  if (deletionGracePeriodSeconds !== undefined) metadata.deletionGracePeriodSeconds ??= deletionGracePeriodSeconds
  // Nothing is deleted that is not there: V8 keeps an object that loses a field as a dictionary, which is slow to work with.
  if (creationTimestamp !== undefined) metadata.creationTimestamp = creationTimestamp
  else if (metadata.creationTimestamp !== undefined) delete metadata.creationTimestamp
  if (generation !== undefined) metadata.generation = generation
  else if (metadata.generation !== undefined) delete metadata.generation
  if (metadata.selfLink !== undefined) delete metadata.selfLink
}

/** Equal references to one owner count once. The warning says whether the request named an owner twice, or what became of it in admission. */
export function uniqueOwners(object: Draft<KubeObject>, when: "before admission" | "after admission", warnings: Set<string>): void {
  const owners = object.metadata.ownerReferences
  if (owners === undefined || owners.length < 2) return
  const seen = new Set<string>()
  const repeated: string[] = []
  const unique = owners.filter((owner) => {
    const text = ownerText(owner)
    const isNew = !seen.has(text)
    if (isNew) seen.add(text)
    else repeated.push(owner.uid)
    return isNew
  })
  if (repeated.length === 0) return
  object.metadata.ownerReferences = unique
  const found = when === "before admission" ? "" : " after mutating admission happens"
  warnings.add(
    `.metadata.ownerReferences contains duplicate entries${found}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(", ")}`,
  )
}

type Owner = NonNullable<Draft<KubeObject>["metadata"]["ownerReferences"]>[number]

/** The same for equal references, so that thousands of them take linear time. */
function ownerText({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: Owner): string {
  return JSON.stringify([apiVersion, kind, name, uid, controller ?? null, blockOwnerDeletion ?? null])
}
