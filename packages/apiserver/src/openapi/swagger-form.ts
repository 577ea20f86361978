import { stringifyJson } from "@pilothouse/seams"
import { fieldHead } from "./gnostic-codec.ts"
import { definitionEntries, documentHead, documentTail, pathEntries } from "./gnostic-v2.ts"

type Json = Readonly<Record<string, unknown>>

/** A form of the document of OpenAPI v2 that can be put together of entries of its paths and definitions. */
export interface SwaggerForm {
  readonly contentType: string
  /** What stands between two groups of entries. */
  readonly separator: Buffer
  paths(entries: Json): Buffer
  definitions(entries: Json): Buffer
  /** The pieces of a document in turn. `rest` is all of it but paths and definitions. */
  pieces(rest: Json, paths: readonly Buffer[], definitions: readonly Buffer[]): readonly Buffer[]
}

/** The JSON of an object without its braces. */
function members(object: Json): Buffer {
  return Buffer.from(stringifyJson(object).slice(1, -1))
}

export const jsonForm: SwaggerForm = {
  contentType: "application/json",
  separator: Buffer.from(","),
  paths: members,
  definitions: members,
  pieces(rest, paths, definitions) {
    const text = (words: string) => Buffer.from(words)
    return [text("{"), members(rest), text(',"paths":{'), ...paths, text('},"definitions":{'), ...definitions, text("}}")]
  },
}

export const protobufForm: SwaggerForm = {
  contentType: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
  separator: Buffer.alloc(0),
  paths: (entries) => pathEntries.encode(entries),
  definitions: (entries) => definitionEntries.encode(entries),
  pieces(rest, paths, definitions) {
    const field = (number: number, content: readonly Buffer[]) => [fieldHead(number, totalLength(content)), ...content]
    return [documentHead.encode(rest), ...field(8, paths), ...field(9, definitions), documentTail.encode(rest)]
  },
}

function totalLength(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}
