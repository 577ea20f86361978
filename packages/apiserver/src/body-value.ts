import { badRequest, requestEntityTooLarge, unsupportedMediaType } from "@pilothouse/api"
import { patchContentTypes } from "@pilothouse/api/patch"
import { decodeProtobuf, protobufContentType } from "@pilothouse/api/protobuf"
import { messageOf, type TransportRequest } from "@pilothouse/seams"
import { duplicateFields } from "./duplicate-fields.ts"
import { tooDeep } from "./json-depth.ts"
import { jsonSyntaxError } from "./json-syntax.ts"
import { UnrecognizedBody } from "./unrecognized-body.ts"

const accepted: readonly string[] = ["application/json", "application/yaml", protobufContentType]

/** kube-apiserver's: what etcd takes, and room for what protobuf makes of it. */
const bodyLimit = 3 * 1024 * 1024

/** What a request's body says, and what it says that it is. */
export interface Decoded {
  readonly value: unknown
  /** Without parameters; "" where nothing is said. */
  readonly contentType: string
  /** Fields that a JSON text has twice. Looked for when it is asked: hardly anybody wants to know. */
  duplicates?(): readonly string[]
}

/** In process a body is a value already; bytes come from the HTTP edge only. */
export function decodedBody({ verb, body, headers }: TransportRequest): Decoded | Promise<Decoded> {
  const contentType = mediaTypeOf((body?.type === "bytes" ? body.contentType : "") || headers["content-type"] || "")
  if (body === undefined || verb === "GET") return { value: undefined, contentType }
  if (body.type === "value") return { value: body.value, contentType }
  if (body.bytes.length > bodyLimit) throw requestEntityTooLarge(`limit is ${bodyLimit}`)
  if (body.bytes.length === 0) return { value: undefined, contentType }
  if (verb === "PATCH") return { value: patchValue(body.bytes, contentType), contentType }
  const { bytes } = body
  if (contentType === "" || contentType === "application/json") {
    return { value: parseJson(bytes), contentType, duplicates: () => duplicateFields(textOf(bytes)) }
  }
  if (contentType === "application/yaml") return yamlValue(body.bytes).then((value) => ({ value, contentType }))
  return { value: protobufValue(bytes, contentType), contentType }
}

function mediaTypeOf(contentType: string): string {
  return contentType.split(";")[0]!.trim().toLowerCase()
}

/** The verb refuses a type it does not know, so that is not said here. */
function patchValue(bytes: Uint8Array, contentType: string): unknown {
  if (!Object.values<string>(patchContentTypes).includes(contentType) || contentType === patchContentTypes.apply) return undefined
  const bracket = tooDeep(bytes)
  if (bracket !== undefined) throw badRequest(undecodable(contentType, depthFault(bracket)))
  try {
    return JSON.parse(textOf(bytes))
  } catch (error) {
    throw badRequest(undecodable(contentType, error instanceof SyntaxError ? jsonSyntaxError(textOf(bytes)) : messageOf(error)))
  }
}

/** Why a patch could not be read; a strategic one is refused without further words. */
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

function parseJson(bytes: Uint8Array): unknown {
  const bracket = tooDeep(bytes)
  if (bracket !== undefined) throw new UnrecognizedBody(`couldn't get version/kind; json parse error: ${depthFault(bracket)}`, bytes)
  try {
    return JSON.parse(textOf(bytes))
  } catch (error) {
    const why = error instanceof SyntaxError ? jsonSyntaxError(textOf(bytes)) : messageOf(error)
    throw new UnrecognizedBody(`couldn't get version/kind; json parse error: ${why}`, bytes)
  }
}

/** "k8s" and a zero. */
function hasPrefix(bytes: Uint8Array): boolean {
  return bytes[0] === 0x6b && bytes[1] === 0x38 && bytes[2] === 0x73 && bytes[3] === 0
}

/** Few send YAML: its library is loaded for the first who does. */
async function yamlValue(bytes: Uint8Array): Promise<unknown> {
  const { parse } = await import("yaml")
  try {
    return parse(textOf(bytes), { maxAliasCount: 100, logLevel: "error" })
  } catch (error) {
    throw new UnrecognizedBody(`yaml: ${messageOf(error)}`, bytes)
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

function textOf(bytes: Uint8Array): string {
  return utf8.decode(bytes)
}
