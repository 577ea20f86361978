import { type Clock, type Files, PilothouseError } from "@pilothouse/seams"
import type { Credentials } from "../http/connection.ts"
import { checkedHeader } from "./header-value.ts"
import { ReloadedFile } from "./reloaded-file.ts"

/** Milliseconds. Kubelets renew a token of ten minutes when two are left: a check every minute is in time (as client-go). */
const reloadInterval = 60_000

export interface FileTokenOptions {
  readonly files: Files
  readonly clock: Clock
  readonly path: string
  /** What it is, for messages: 'the token file of user "jane"'. */
  readonly what: string
}

/** A bearer token from a file that is reloaded: at most once a minute, and at once when the server refuses it. */
export function fileToken({ files, clock, path, what }: FileTokenOptions): Credentials {
  const check = (text: string) => checkedToken(text, `${what} (${path})`)
  const file = new ReloadedFile({ files, clock, path, what, every: reloadInterval, check })
  const authorization = () => `Bearer ${file.text.trim()}`
  return {
    present: async () => ({ authorization: authorization() }),
    // Another request may have reloaded it already: what counts is whether the token differs from the refused one.
    refused: async (presented) => file.reload() || presented.authorization !== authorization(),
  }
}

/** Credentials that never change: a 401 is final. */
export function fixedAuthorization(authorization: string): Credentials {
  return { present: async () => ({ authorization }), refused: async () => false }
}

function checkedToken(text: string, what: string): string {
  if (text.trim() === "")
    throw new PilothouseError("CREDENTIALS", `expected a token in ${what}, found an empty file; have it written again`)
  return checkedHeader(text, what)
}
