import { type Descriptor, pathOf, type Schema } from "@pilothouse/api"
import { descriptorFor } from "@pilothouse/api/descriptors"
import { schemaOf } from "@pilothouse/api/schemas"
import type { ApiClient } from "../api-client.ts"
import { samples } from "./objects/all.ts"
import type { JsonObject, SampleObject } from "./objects/object.ts"

export const namespace = "judged"

/** An object that the real server holds. */
export interface LiveObject {
  /** "Deployment rich" */
  readonly title: string
  readonly descriptor: Descriptor
  readonly schema: Schema
  readonly path: string
  /** What was sent. */
  readonly sent: SampleObject
  /** What the server answers to GET. */
  readonly object: JsonObject
}

/** Creates every sample. They stay as they are: the cases are dry runs. */
export async function createLiveObjects(client: ApiClient): Promise<LiveObject[]> {
  await client.object({ verb: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } })
  for (const sample of samples)
    await client.object({ verb: "POST", path: collectionOf(sample), query: { fieldValidation: "Strict" }, body: sample })
  await fillStatus(client, "pods/rich", podStatus)
  return Promise.all(samples.map((sample) => read(client, sample)))
}

const podStatus = {
  phase: "Running",
  conditions: [
    { type: "Ready", status: "True", lastTransitionTime: "2024-01-02T03:04:05Z" },
    { type: "Initialized", status: "True", lastTransitionTime: "2024-01-02T03:04:05Z" },
    { type: "test/ready", status: "False", reason: "Waiting", message: "m", lastTransitionTime: "2024-01-02T03:04:05Z" },
  ],
  podIP: "10.2.0.1",
  podIPs: [{ ip: "10.2.0.1" }],
  startTime: "2024-01-02T03:04:05Z",
}

async function fillStatus(client: ApiClient, resource: string, status: JsonObject): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/${resource}/status`
  await client.object({ verb: "PATCH", path, contentType: "application/merge-patch+json", body: { status } })
}

async function read(client: ApiClient, sent: SampleObject): Promise<LiveObject> {
  const descriptor = describe(sent)
  const schema = schemaOf(descriptor)
  if (schema === undefined) throw new Error(`there is no schema of ${sent.kind}`)
  const path = `${collectionOf(sent)}/${sent.metadata.name}`
  return { title: `${sent.kind} ${sent.metadata.name}`, descriptor, schema, path, sent, object: await client.object({ verb: "GET", path }) }
}

export function describe({ apiVersion, kind }: JsonObject): Descriptor {
  const [version = "", group = ""] = String(apiVersion).split("/").reverse()
  const descriptor = descriptorFor({ group, version, kind: String(kind) })
  if (descriptor === undefined) throw new Error(`there is no descriptor of ${apiVersion} ${kind}`)
  return descriptor
}

export function collectionOf(object: JsonObject): string {
  const descriptor = describe(object)
  return pathOf(descriptor, descriptor.namespaced ? { namespace } : {})
}
