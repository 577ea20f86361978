import type { Body, HeaderMap, TransportResponse } from "@pilothouse/seams"

/** A whole answer, read. */
export interface Answer {
  readonly status: number
  readonly headers: HeaderMap
  /** The JSON, or undefined where the body was none: a gateway in front of a service answers with text. */
  readonly value: unknown
  /** The body where it was no JSON. */
  readonly text: string
}

export function toAnswer({ status, headers, body }: TransportResponse): Answer {
  if (body.type === "stream") return { status, headers, value: undefined, text: "" }
  return { status, headers, ...decodeBody(body) }
}

function decodeBody(body: Body): Pick<Answer, "value" | "text"> {
  if (body.type === "value") return { value: body.value, text: "" }
  const text = new TextDecoder().decode(body.bytes)
  try {
    return { value: JSON.parse(text), text: "" }
  } catch {
    return { value: undefined, text }
  }
}

/** A member of a JSON object, whatever it is; undefined of anything else. */
export function readMember(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

export function readText(value: unknown, name: string): string {
  const member = readMember(value, name)
  return typeof member === "string" ? member : ""
}
