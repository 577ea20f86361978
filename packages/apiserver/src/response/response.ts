import { deepFreeze, type KubeObject, type ListMeta } from "@pilothouse/api"
import { type HeaderMap, type TransportResponse, valueBody } from "@pilothouse/seams"
import { copyManagedFields } from "../managedfields/object-managed-fields.ts"
import { type PrintedKind, rowMaker, type Table, type TableContext, toTable } from "../printing/table.ts"
import { mapInSlices } from "../request/turns.ts"
import { isCustom } from "../resources/resource.ts"
import type { Call } from "../server/call.ts"

export interface List extends Pick<KubeObject, "apiVersion" | "kind"> {
  readonly metadata: ListMeta
  readonly items: readonly KubeObject[]
}

/** One object in the form that the client accepts; the stored object itself where that is the form. */
export function objectResponse(call: Call, object: KubeObject, status = 200): TransportResponse {
  return valueResponse(call, inForm(call, object), status)
}

/** Returns an object in the form that the client negotiated: itself, its metadata, or a Table of one row. */
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

/** Answers with a list in the form that the client negotiated; a Table is made in turns. */
export async function listResponse(call: Call, list: List): Promise<TransportResponse> {
  switch (call.wanted.form) {
    case "object":
      return valueResponse(call, isCustom(call.resource) ? { ...list, metadata: { continue: "", ...list.metadata } } : list)
    case "PartialObjectMetadata":
      return valueResponse(call, partialMetadataList(list))
    case "Table":
      return valueResponse(call, await tableInSlices(call, list))
  }
}

/** Sixty thousand rows take a quarter of a second. */
async function tableInSlices(call: Call, { items, metadata }: List): Promise<Table> {
  const rowOf = rowMaker(printedKind(call), contextOf(call, metadata))
  return { ...tableOf(call, [], metadata), rows: await mapInSlices(items, call.server.turns.begin(call.signal), rowOf) }
}

function tableOf(call: Call, objects: readonly KubeObject[], listMeta: ListMeta): Table {
  return toTable(printedKind(call), objects, contextOf(call, listMeta))
}

function printedKind({ resource: { descriptor, printer, scalable }, subresource }: Call): PrintedKind {
  if (subresource === "scale") return { group: "autoscaling", kind: "Scale", printer: scalable?.printer }
  return { group: descriptor.group, kind: descriptor.kind, printer }
}

function contextOf({ server, wanted }: Call, listMeta: ListMeta): TableContext {
  return { now: server.clock.now(), includeObject: wanted.includeObject, listMeta }
}

/** Any value, with the headers that every answer of the API has. */
export function valueResponse(call: Pick<Call, "warnings" | "wanted">, value: unknown, status = 200): TransportResponse {
  return { status, headers: headersOf(call), body: valueBody(value) }
}

export function headersOf({ warnings, wanted }: Pick<Call, "warnings" | "wanted">): HeaderMap {
  const type = { "content-type": wanted.mediaType }
  return warnings.size === 0 ? type : { ...type, warning: warningHeader(warnings) }
}

const metaVersion = "meta.k8s.io/v1"

/** An object without what its own kind says: for who only needs names, labels and owners. */
function partialMetadata(object: KubeObject): KubeObject {
  return deepFreeze(copyManagedFields(object, { kind: "PartialObjectMetadata", apiVersion: metaVersion, metadata: object.metadata }))
}

function partialMetadataList(list: List): unknown {
  // Upstream writes null for an empty one, and clients see it.
  const items = list.items.length === 0 ? null : list.items.map(partialMetadata)
  return { kind: "PartialObjectMetadataList", apiVersion: metaVersion, metadata: list.metadata, items }
}

const [runesOfAll, runesOfEach] = [4096, 256]

/**
 * The header of an answer's warnings. Clients refuse an answer whose headers are too long, though what they asked for was done: where all warnings
 * together are too long, each is cut, and the last ones are left out, by upstream's measure.
 */
export function warningHeader(texts: Iterable<string>): string {
  return fitting([...texts])
    .map(warningText)
    .join(", ")
}

const warnings: unique symbol = Symbol("warnings")

/** Returns the error of a request whose answer has warnings too. */
export function withWarnings(error: unknown, texts: ReadonlySet<string>): unknown {
  return texts.size > 0 && error instanceof Error && Object.isExtensible(error) ? Object.assign(error, { [warnings]: texts }) : error
}

/** Returns the header of the warnings that came before a request failed; empty where there are none. */
export function warningsBefore(error: unknown): { readonly warning?: string } {
  const texts = (error as { readonly [warnings]?: ReadonlySet<string> } | undefined)?.[warnings]
  return texts === undefined ? {} : { warning: warningHeader(texts) }
}

function fitting(texts: readonly string[]): readonly string[] {
  let runes = 0
  if (texts.every((text) => (runes += lengthOf(text)) <= runesOfAll)) return texts
  const said: string[] = []
  runes = 0
  for (const text of texts) {
    if (runes >= runesOfAll) break
    const cut = firstRunes(text, runesOfEach).join("")
    runes += lengthOf(cut)
    said.push(cut)
  }
  return said
}

/** No more is counted than there may be. */
function lengthOf(text: string): number {
  return firstRunes(text, runesOfAll + 1).length
}

/** A rune has two characters at most. */
function firstRunes(text: string, count: number): readonly string[] {
  return Array.from(text.slice(0, 2 * count)).slice(0, count)
}

/** RFC 9110's form of a warning: kubectl prints the text between the quotes. */
function warningText(text: string): string {
  return `299 - "${text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll(/\s+/g, (space) => (space.includes("\n") ? " " : space))}"`
}
