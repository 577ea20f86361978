import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { twoNamespaces, withoutNamespaces } from "./two-namespaces.ts"

const folder = mkdtempSync(join(tmpdir(), "pilothouse-namespaces-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("two processes that are both number 1, on one data directory: the second is refused, and starts when the first was killed", async ({
  skip,
}) => {
  const reason = withoutNamespaces()
  if (reason !== undefined) skip(`no PID namespaces here: ${reason}`)
  expect(await twoNamespaces(join(folder, "data"))).toBe(60)
})
