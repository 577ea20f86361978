import { badRequest, requestEntityTooLarge, unsupportedMediaType } from "@pilothouse/api"
import { patchContentTypes } from "@pilothouse/api/patch"
import { decodeProtobuf, protobufContentType } from "@pilothouse/api/protobuf"
import { type Clock, messageOf, parseJson as parseExactly, type TransportRequest } from "@pilothouse/seams"
import type { Turns } from "../request/turns.ts"
import { bodyLimit, checkJsonValueCount, checkValueCount } from "./body-limit.ts"
import { beyondDouble } from "./coerced-place.ts"
import { cutDeep, tooDeep, workableDepth } from "./json-depth.ts"
import { jsonSyntaxError } from "./json-syntax.ts"
import { jsonTextOf } from "./json-text.ts"
import { mergedJson } from "./merged-json.ts"
import { literalBeyondDouble, type NumberLiterals, numberLiterals } from "./number-literals.ts"
import { type FindStrict, hasDuplicates, strictInJson, strictInPatch } from "./strict-findings.ts"
import { UnreadablePatch } from "./unreadable-patch.ts"
import { UnrecognizedBody } from "./unrecognized-body.ts"
import { appliedValue, yamlValue } from "./yaml-body.ts"

const accepted: readonly string[] = ["application/json", "application/yaml", protobufContentType]

/** What a request's body says, and what it says that it is. */
export interface Decoded {
  readonly value: unknown
  /** Without parameters; "" where nothing is said. */
  readonly contentType: string
  /** Finds what a text has that it should not have; left out where there is no text. */
  readonly findStrict?: FindStrict
  /** Of JSON that is no patch. */
  readonly literals?: NumberLiterals | undefined
  /** Of its bytes; left out where it came as a value. */
  readonly length?: number
}

interface Decoding {
  readonly clock: Clock
  readonly turns: Turns
}

/** Decodes a body. In process it is a value already; bytes come from the HTTP edge only. */
export function decodedBody({ verb, body, headers, signal }: TransportRequest, { clock, turns }: Decoding): Decoded | Promise<Decoded> {
  const contentType = contentTypeOf({ body, headers })
  if (body === undefined || verb === "GET") return { value: undefined, contentType }
  if (body.type === "value") return { value: body.value, contentType }
  if (body.bytes.length > bodyLimit) throw requestEntityTooLarge(`limit is ${bodyLimit}`)
  const { length } = body.bytes
  if (length === 0) return { value: undefined, contentType }
  if (verb !== "PATCH" && contentType === "application/yaml")
    return yamlValue(body.bytes, clock, turns.begin(signal)).then((read) => ({ ...read, contentType, length }))
  if (verb === "PATCH" && contentType === patchContentTypes.apply)
    return appliedValue(body.bytes, clock, turns.begin(signal)).then((read) => ({ ...read, contentType, length }))
  return { ...readBytes(body.bytes, verb === "PATCH", contentType), contentType, length }
}

function readBytes(bytes: Uint8Array, isPatch: boolean, contentType: string): Pick<Decoded, "value" | "findStrict" | "literals"> {
  if (!isPatch && (contentType === "" || contentType === "application/json")) return parseJson(bytes)
  if (isPatch) return patchValue(bytes, contentType)
  const value = protobufValue(bytes, contentType)
  checkValueCount(value, bytes.length)
  return { value }
}

/** Returns what a request says that its body is, without parameters; "" where it says nothing. */
export function contentTypeOf({ body, headers }: Pick<TransportRequest, "body" | "headers">): string {
  const given = (body?.type === "bytes" ? body.contentType : "") || headers["content-type"] || ""
  return given.split(";")[0]!.trim().toLowerCase()
}

/** The verb refuses a type it does not know, so that is not said here. */
function patchValue(bytes: Uint8Array, contentType: string): Pick<Decoded, "value" | "findStrict"> {
  const known = Object.values<string>(patchContentTypes).includes(contentType) && contentType !== patchContentTypes.apply
  if (!known) return { value: undefined }
  const unreadable = (why: string) => ({ value: new UnreadablePatch(badRequest(undecodable(contentType, why))) })
  const bracket = tooDeep(bytes, workableDepth)
  if (bracket !== undefined) return unreadable(depthFault(bracket))
  checkJsonValueCount(bytes)
  try {
    const text = jsonTextOf(bytes)
    const value = parseExactly(text, { beyondInt64: "bigint" })
    const beyond = literalBeyondDouble(numberLiterals(text, value))
    if (beyond !== undefined) beyondDouble(beyond)
    return { value, findStrict: strictInPatch(text, value) }
  } catch (error) {
    return unreadable(error instanceof SyntaxError ? jsonSyntaxError(jsonTextOf(bytes)) : messageOf(error))
  }
}

/** Returns the error of a patch that cannot be decoded; a strategic one is refused without further words. */
export function undecodable(contentType: string, why: string): string {
  return contentType === patchContentTypes.strategic ? why : `error decoding patch: ${why}`
}

const noProtobuf = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"

function protobufValue(bytes: Uint8Array, contentType: string): unknown {
  if (contentType !== protobufContentType) throw unsupportedMediaType(accepted)
  try {
    return decodeProtobuf(bytes)
  } catch (error) {
    throw new UnrecognizedBody(hasPrefix(bytes) ? messageOf(error) : noProtobuf, bytes)
  }
}

function depthFault(bracket: string): string {
  return `invalid character '${bracket}' exceeded max depth`
}

function parseJson(bytes: Uint8Array): Pick<Decoded, "value" | "findStrict" | "literals"> {
  const deep = tooDeep(bytes, workableDepth) !== undefined
  const bracket = deep ? tooDeep(bytes) : undefined
  if (bracket !== undefined) throw new UnrecognizedBody(`couldn't get version/kind; json parse error: ${depthFault(bracket)}`, bytes)
  checkJsonValueCount(bytes)
  try {
    const text = jsonTextOf(bytes)
    const value = parseExactly(text, { beyondInt64: "bigint" })
    if (deep) cutDeep(value)
    const mayHaveTwice = hasDuplicates(text, value)
    const findStrict = strictInJson(text, mayHaveTwice)
    if (deep) return { value, findStrict }
    return { value: mayHaveTwice ? mergedJson(text) : value, findStrict, literals: mayHaveTwice ? undefined : numberLiterals(text, value) }
  } catch (error) {
    const why = error instanceof SyntaxError ? jsonSyntaxError(jsonTextOf(bytes)) : messageOf(error)
    throw new UnrecognizedBody(`couldn't get version/kind; json parse error: ${why}`, bytes)
  }
}

/** "k8s" and a zero. */
function hasPrefix(bytes: Uint8Array): boolean {
  return bytes[0] === 0x6b && bytes[1] === 0x38 && bytes[2] === 0x73 && bytes[3] === 0
}
