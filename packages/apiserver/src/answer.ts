import type { KubeObject, ListMeta } from "@pilothouse/api"
import { type HeaderMap, type TransportResponse, valueBody } from "@pilothouse/seams"
import type { Call } from "./call.ts"
import { partialMetadata, partialMetadataList } from "./partial-metadata.ts"
import { toTable } from "./printing/index.ts"
import { warningHeader } from "./warning-header.ts"

export interface List extends Pick<KubeObject, "apiVersion" | "kind"> {
  readonly metadata: ListMeta
  readonly items: readonly KubeObject[]
}

/** One object in the form the caller wants; the stored object itself where that is the form. */
export function objectAnswer(call: Call, object: KubeObject, status = 200): TransportResponse {
  return answer(call, inForm(call, object), status)
}

export function inForm(call: Call, object: KubeObject): unknown {
  switch (call.wanted.form) {
    case "object":
      return object
    case "PartialObjectMetadata":
      return partialMetadata(object)
    case "Table":
      return tableOf(call, [object], { resourceVersion: object.metadata.resourceVersion })
  }
}

export function listAnswer(call: Call, list: List): TransportResponse {
  switch (call.wanted.form) {
    case "object":
      return answer(call, list)
    case "PartialObjectMetadata":
      return answer(call, partialMetadataList(list))
    case "Table":
      return answer(call, tableOf(call, list.items, list.metadata))
  }
}

function tableOf(call: Call, objects: readonly KubeObject[], listMeta: ListMeta): ReturnType<typeof toTable> {
  const context = { now: call.server.clock.now(), includeObject: call.wanted.includeObject, listMeta }
  return toTable(call.resource.descriptor, objects, context)
}

/** Any value, with the headers that every answer of the API has. */
export function answer(call: Pick<Call, "warnings" | "wanted">, value: unknown, status = 200): TransportResponse {
  return { status, headers: headersOf(call), body: valueBody(value) }
}

export function headersOf({ warnings, wanted }: Pick<Call, "warnings" | "wanted">): HeaderMap {
  const type = { "content-type": wanted.mediaType }
  return warnings.size === 0 ? type : { ...type, warning: warningHeader(warnings) }
}
