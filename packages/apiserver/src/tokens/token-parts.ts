/** A part of a token: JSON in base64url. */
export function encodedPart(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url")
}

export function decodedPart(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"))
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    // A client can send any text as a token: one that is no JSON was not issued here.
    return undefined
  }
}
