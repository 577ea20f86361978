import { badRequest, notAcceptable } from "@pilothouse/api"
import { type HeaderMap, type Query, queryValue } from "@pilothouse/seams"

export type Form = "object" | "Table" | "PartialObjectMetadata"

/** The form of the answer that the client accepts. Bytes are made of it at the HTTP edge only. */
export interface Wanted {
  readonly form: Form
  /** The content type that the edge writes. */
  readonly mediaType: string
  /** What a row of a Table carries of its object. */
  readonly includeObject: "None" | "Metadata" | "Object"
}

interface Clause {
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
  readonly quality: number
}

const answered: readonly string[] = ["application/json", "application/yaml"]
const json = "application/json"
const plain: Wanted = { form: "object", mediaType: json, includeObject: "Metadata" }

/** The first clause that we can answer, by quality and then by order. Without an Accept header: the object, as JSON. */
export function wantedOf(headers: HeaderMap, query: Query): Wanted {
  const accept = headers.accept
  if (accept === undefined || accept.trim() === "") return plain
  for (const clause of clausesOf(accept)) {
    const wanted = answerTo(clause, query)
    if (wanted !== undefined) return wanted
  }
  throw notAcceptable(answered)
}

/** Parses the clauses of an Accept header, sorted by quality and then by order. */
export function clausesOf(accept: string): readonly Clause[] {
  return accept
    .split(",")
    .map(clauseOf)
    .sort((left, right) => right.quality - left.quality)
}

function clauseOf(text: string): Clause {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim())
  const parameters = Object.fromEntries(rest.map((part) => [part.split("=")[0]?.trim(), part.split("=")[1]?.trim() ?? ""]))
  const quality = parameters.q === undefined ? 1 : Number(parameters.q)
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality }
}

function answerTo({ type, parameters }: Clause, query: Query): Wanted | undefined {
  const mediaType = type === "*/*" || type === "application/*" ? json : type
  if (!answered.includes(mediaType)) return undefined
  if (parameters.as === undefined) return { ...plain, mediaType }
  if (parameters.g !== "meta.k8s.io" || (parameters.v !== "v1" && parameters.v !== "v1beta1")) return undefined
  const form = formOf(parameters.as)
  return form && { form, mediaType, includeObject: includeObjectOf(query) }
}

function formOf(as: string): Form | undefined {
  if (as === "Table") return "Table"
  return as === "PartialObjectMetadata" || as === "PartialObjectMetadataList" ? "PartialObjectMetadata" : undefined
}

function includeObjectOf(query: Query): Wanted["includeObject"] {
  const asked = queryValue(query, "includeObject") ?? ""
  if (asked === "None" || asked === "Object" || asked === "Metadata") return asked
  if (asked === "") return "Metadata"
  const why = "must be 'Metadata', 'Object', 'None', or empty"
  throw badRequest(`Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(asked)}: ${why}`)
}
