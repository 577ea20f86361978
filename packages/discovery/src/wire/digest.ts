import { hash } from "node:crypto"

/**
 * Sixteen hexadecimal digits that stand for a content. Made of nothing but the content, so that a version is the same after a restart and on every replica.
 * Text, not bytes: fifty thousand small buffers would cost the garbage collector more than everything else.
 */
export function digest(content: Uint8Array | string): string {
  return hash("sha1", content, "hex").slice(0, 16)
}

/** The digest of a list of things whose digests are known. */
export function digestAll(digests: readonly string[]): string {
  return digest(digests.join(" "))
}
