import { type Files, type Random, readText } from "@pilothouse/seams"

const name = "admin.token"
const bytes = 24

interface AdminTokenOptions {
  readonly files: Files
  readonly directory: string
  readonly random: Random
}

/** A bearer token of the administrator: made at the first start, kept where only the owner may read it. */
export function ensureAdminToken({ files, directory, random }: AdminTokenOptions): string {
  const path = `${directory}/${name}`
  const kept = readText(files, path)?.trim() ?? ""
  if (kept !== "") return kept
  const token = Buffer.from(random.bytes(bytes)).toString("base64url")
  files.makeDirectory(directory, 0o700)
  files.write(path, `${token}\n`, { mode: 0o600 })
  return token
}
