import type { Schema } from "@pilothouse/api"
import { applyStrategicMerge, diffJsonPatch, diffMergePatch, patchContentTypes } from "@pilothouse/api/patch"
import { isRecord, type JsonObject } from "../../api/objects/object.ts"
import type { ApiAnswer, ApiClient, ApiRequest } from "../../api-client.ts"

/** One write of a history, as data: what it changes, not what is sent, as each server is sent what fits the object that it holds. */
export interface Operation {
  readonly verb: "create" | "update" | "replace" | "merge" | "strategic" | "json" | "apply" | "force" | "delete"
  readonly manager: string
  /** Written through another version of the kind. */
  readonly otherVersion?: boolean
  readonly subresource?: "status"
  /** The object of a create or replace, the configuration of an apply; else a strategic merge patch of the change. */
  readonly body: JsonObject
  /** What an update says of managedFields; by default it sends what it has read. */
  readonly entries?: "none" | "cleared"
}

/** Where one kind is written. */
export interface Endpoint {
  readonly collection: string
  readonly schema: Schema
}

export interface Target {
  readonly name: string
  readonly main: Endpoint
  readonly other?: Endpoint
}

/** Sends an operation to one server; a change is made from what that server holds. */
export async function perform(client: ApiClient, target: Target, operation: Operation, dryRun = false): Promise<ApiAnswer> {
  const { collection, schema } = (operation.otherVersion && target.other) || target.main
  const object = `${collection}/${target.name}`
  const path = [object, ...(operation.subresource ? [operation.subresource] : [])].join("/")
  const query = { fieldManager: operation.manager, ...(dryRun && { dryRun: "All" }) }
  const body = () => named(operation.body, target.name)
  const live = async () => (await client.send({ verb: "GET", path: object })).value
  const patch = (type: "strategic" | "apply", content: unknown): ApiRequest => ({
    verb: "PATCH",
    path,
    query,
    contentType: patchContentTypes[type],
    body: content,
  })
  switch (operation.verb) {
    case "create":
      return client.send({ verb: "POST", path: collection, query, body: body() })
    case "delete":
      return withoutBody(await client.send({ verb: "DELETE", path: object, query: { gracePeriodSeconds: "0" } }))
    case "replace":
      return client.send({ verb: "PUT", path, query, body: withVersion(body(), await live()) })
    case "strategic":
      return client.send(patch("strategic", operation.body))
    case "apply":
      return client.send(patch("apply", body()))
    case "force":
      return client.send({ ...patch("apply", body()), query: { ...query, force: "true" } })
    default: {
      const old = await live()
      if (!isRecord(old) || old.kind === "Status") return client.send({ verb: "PUT", path, query, body: body() })
      return client.send({ path, query, ...changeOf(operation, old, schema) })
    }
  }
}

/** The request of a change to what was read. */
function changeOf({ verb, body, entries }: Operation, old: JsonObject, schema: Schema): Pick<ApiRequest, "verb" | "contentType" | "body"> {
  const next = applyStrategicMerge(old, body, schema) as JsonObject
  if (verb === "update") return { verb: "PUT", body: withEntries(next, entries) }
  if (verb === "merge") return { verb: "PATCH", contentType: patchContentTypes.merge, body: diffMergePatch(old, next) ?? {} }
  return { verb: "PATCH", contentType: patchContentTypes.json, body: diffJsonPatch(old, next) }
}

function named(body: JsonObject, name: string): JsonObject {
  return { ...body, metadata: { ...(body.metadata as JsonObject | undefined), name } }
}

/** Some kinds are updated with their version only. */
function withVersion(body: JsonObject, live: unknown): JsonObject {
  const metadata = isRecord(live) && isRecord(live.metadata) ? live.metadata : {}
  return { ...body, metadata: { ...(body.metadata as JsonObject), resourceVersion: metadata.resourceVersion } }
}

function withEntries(next: JsonObject, entries: Operation["entries"]): JsonObject {
  if (entries === undefined) return next
  const { managedFields: _kept, ...metadata } = next.metadata as JsonObject
  return { ...next, metadata: entries === "none" ? metadata : { ...metadata, managedFields: [] } }
}

/** Upstream answers a delete with a Status or with the object: how is no matter of ownership. */
function withoutBody(answer: ApiAnswer): ApiAnswer {
  return answer.status < 300 ? { ...answer, bytes: Buffer.from("{}"), value: {} } : answer
}
