import { badRequest, requestEntityTooLarge, unsupportedMediaType } from "@pilothouse/api"
import { patchContentTypes } from "@pilothouse/api/patch"
import { decodeProtobuf, protobufContentType } from "@pilothouse/api/protobuf"
import { messageOf, type TransportRequest } from "@pilothouse/seams"

const accepted: readonly string[] = ["application/json", "application/yaml", protobufContentType]

/** kube-apiserver's: what etcd takes, and room for what protobuf makes of it. */
const bodyLimit = 3 * 1024 * 1024

/** What a request's body says, and what it says that it is. */
export interface Decoded {
  readonly value: unknown
  /** Without parameters; "" where nothing is said. */
  readonly contentType: string
}

/** In process a body is a value already; bytes come from the HTTP edge only. */
export function decodedBody({ verb, body, headers }: TransportRequest): Decoded | Promise<Decoded> {
  const contentType = mediaTypeOf((body?.type === "bytes" ? body.contentType : "") || headers["content-type"] || "")
  if (body === undefined || verb === "GET") return { value: undefined, contentType }
  if (body.type === "value") return { value: body.value, contentType }
  if (body.bytes.length > bodyLimit) throw requestEntityTooLarge(`limit is ${bodyLimit}`)
  if (body.bytes.length === 0) return { value: undefined, contentType }
  if (verb === "PATCH") return { value: patchValue(body.bytes, contentType), contentType }
  if (contentType === "application/yaml") return yamlValue(body.bytes).then((value) => ({ value, contentType }))
  return { value: objectValue(body.bytes, contentType), contentType }
}

function mediaTypeOf(contentType: string): string {
  return contentType.split(";")[0]!.trim().toLowerCase()
}

/** The verb refuses a type it does not know, so that is not said here. */
function patchValue(bytes: Uint8Array, contentType: string): unknown {
  return contentType === patchContentTypes.apply ? undefined : parseJson(bytes)
}

function objectValue(bytes: Uint8Array, contentType: string): unknown {
  if (contentType === "" || contentType === "application/json") return parseJson(bytes)
  if (contentType !== protobufContentType) throw unsupportedMediaType(accepted)
  try {
    return decodeProtobuf(bytes)
  } catch (error) {
    throw badRequest(messageOf(error))
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(bytes))
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${messageOf(error)}`)
  }
}

/** Few send YAML: its library is loaded for the first who does. */
async function yamlValue(bytes: Uint8Array): Promise<unknown> {
  const { parse } = await import("yaml")
  try {
    return parse(textOf(bytes), { maxAliasCount: 100 })
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: yaml: ${messageOf(error)}`)
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
}
