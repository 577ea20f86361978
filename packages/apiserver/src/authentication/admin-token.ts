import { type Files, type Log, PilothouseError, type Random, readText, silentLog } from "@pilothouse/seams"

const name = "admin.token"
const bytes = 24
/** What a header can carry as a bearer token: one word. */
const oneWord = /^[!-~]+$/

interface AdminTokenOptions {
  readonly files: Files
  readonly directory: string
  readonly random: Random
  /** Receives a warning when a lost token is recreated. */
  readonly log?: Log
  /** False when an earlier start has created a token that clients may hold. */
  readonly isFirstStart?: boolean
}

/**
 * A bearer token of the administrator: made at the first start, kept where only the owner may read it.
 * One that was lost is recreated with a warning in the log, because clients with the old one are refused.
 */
export function ensureAdminToken({ files, directory, random, log = silentLog, isFirstStart = true }: AdminTokenOptions): string {
  const path = `${directory}/${name}`
  const text = readText(files, path)
  const kept = text?.trim() ?? ""
  if (kept !== "") return checked(path, kept)
  if (text !== undefined || !isFirstStart) log.warn(lost(text === undefined ? "missing" : "empty"), { file: path })
  const token = Buffer.from(random.bytes(bytes)).toString("base64url")
  files.makeDirectory(directory, 0o700)
  files.write(path, `${token}\n`, { mode: 0o600 })
  return token
}

/** Refuses a file that no header can carry as a token. Its text is not shown: it may be a secret. */
function checked(path: string, token: string): string {
  if (oneWord.test(token)) return token
  const found = /\s/.test(token) ? "several words or lines" : "letters that no header carries"
  throw new PilothouseError(
    "FILE",
    `expected a bearer token, one word, in ${path}, found ${found}; put the right file back, or remove it to have one created (nothing was changed)`,
  )
}

function lost(how: string): string {
  return `the administrator's token was ${how} and was recreated: kubeconfigs with the old one are refused (401); use the new one`
}
