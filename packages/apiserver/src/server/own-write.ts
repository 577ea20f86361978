import type { Status } from "@pilothouse/api"
import { valueBody } from "@pilothouse/seams"
import { apiServer } from "../authentication/identity.ts"
import { ownManager } from "../managedfields/entries.ts"
import type { Serve } from "./call.ts"

/** A request by which the server changes an object of its own API. */
export interface OwnWrite {
  readonly verb: "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly value: object
}

export const ownHeaders = { "user-agent": ownManager }

/**
 * Writes in the name of the server, with admission and watchers as for any client. Returns the value of the answer; undefined after 404 and 409: another writer
 * was faster, and its change is worked on by itself. Throws what any other refusal says.
 */
export async function ownWrite(serve: Serve, { verb, path, value }: OwnWrite): Promise<unknown> {
  const headers = { ...ownHeaders, "content-type": "application/json" }
  const { status, body } = await serve(apiServer, { verb, path, query: {}, headers, body: valueBody(value) })
  const answered = body.type === "value" ? body.value : undefined
  if (status < 300) return answered
  if (status === 404 || status === 409) return undefined
  throw new Error((answered as Status | undefined)?.message ?? `${verb} ${path} was answered with ${status}`)
}
