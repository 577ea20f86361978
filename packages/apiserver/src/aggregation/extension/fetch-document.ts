import { messageOf, noBody, PilothouseError, parseJson, type TransportRequest, withTimeout } from "@pilothouse/seams"
import type { Identity } from "../../authentication/identity.ts"
import { wholeAnswer } from "../../proxy/streamed-answer.ts"
import type { RemoteApiService } from "../../server/aggregation.ts"
import { type ExtensionCaller, extensionEndpoint, sendToExtension } from "./extension-server.ts"

/** Milliseconds of one request. */
const timeout = 5000

/** Bytes of a document: parsing one of this size takes some 30 ms. Those of most servers have less than a tenth of it. */
const maxSize = 4 * 1024 * 1024

/** What an extension server answers to a request for a document of its own. */
export interface FetchedDocument {
  readonly status: number
  readonly contentType: string
  readonly etag: string
  /** Throws where the document is no JSON. */
  value(): unknown
}

/** Reads a document of an extension server, in the name of a user. Throws where it is late or too long. */
export async function fetchDocument(
  caller: ExtensionCaller,
  remote: RemoteApiService,
  user: Identity,
  path: string,
  headers: TransportRequest["headers"],
): Promise<FetchedDocument> {
  const endpoint = extensionEndpoint(caller, remote)
  const error = () => new PilothouseError("TIMEOUT", `expected an answer to GET ${path} within ${timeout} ms, found none`)
  return withTimeout({ clock: caller.clock, timeout, name: "a document of an extension server", error }, async (signal) => {
    const request = { verb: "GET", path, query: {}, headers, body: noBody, signal } as const
    const response = await sendToExtension(caller, { remote, endpoint, user }, request)
    const bytes = await wholeAnswer(response.body, maxSize, "an extension server")
    signal.throwIfAborted()
    const value = () => parsed(path, bytes)
    return { status: response.status, contentType: response.headers["content-type"] ?? "", etag: response.headers.etag ?? "", value }
  })
}

function parsed(path: string, bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder().decode(bytes))
  } catch (error) {
    throw new PilothouseError("PROTOCOL", `expected JSON in the answer to GET ${path}, found something else: ${messageOf(error)}`)
  }
}
