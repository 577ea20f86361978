import { seededRandom, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { ensureAdminToken } from "./admin-token.ts"
import { readTokenFile } from "./token-file.ts"

test.each([
  ["with groups in quotes", 't,admin,1,"system:masters,ops"', { name: "admin", uid: "1", groups: ["system:masters", "ops"] }],
  ["with one bare group", "t,admin,1,system:masters", { name: "admin", uid: "1", groups: ["system:masters"] }],
  ["without groups", "t,admin,1", { name: "admin", uid: "1", groups: [] }],
  ["without a uid", 't,admin,,"a"', { name: "admin", groups: ["a"] }],
  ["with everything in quotes", '"t","an ""admin""","1",""', { name: 'an "admin"', uid: "1", groups: [] }],
  ["beside empty lines", "\n\nt,admin,1\r\n", { name: "admin", uid: "1", groups: [] }],
])("a line %s", (_what, text, identity) => {
  expect(readTokenFile(text, "tokens.csv").get("t")).toEqual(identity)
})

test("of two lines of one token the first counts", () => {
  expect(readTokenFile("t,a,1\nt,b,2", "tokens.csv").get("t")?.name).toBe("a")
})

test("a line that says too little is refused by its number, and not shown", () => {
  expect(() => readTokenFile("t,a,1\nsecret", "tokens.csv")).toThrow(
    'expected token,user,uid,"group1,group2" in line 2 of tokens.csv, found less; mend the line',
  )
})

test("the administrator's token is made once, for its owner's eyes", () => {
  const files = virtualFiles(new VirtualClock())
  const token = ensureAdminToken({ files, directory: "/pki", random: seededRandom(1) })
  expect(token).toMatch(/^[\w-]{32}$/)
  expect(files.facts("/pki/admin.token")?.mode).toBe(0o600)
  expect(ensureAdminToken({ files, directory: "/pki", random: seededRandom(2) })).toBe(token)
})
