import { type Files, recordingLog, seededRandom, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
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

test("of two lines of one token the last counts, and the second is named", () => {
  const warnings: string[] = []
  const tokens = readTokenFile("t,a,1\n\nt,b,2\nu,c,3", "tokens.csv", (warning) => warnings.push(warning))
  expect([tokens.get("t")?.name, tokens.get("u")?.name]).toEqual(["b", "c"])
  expect(warnings).toEqual(["a duplicate token has been found in line 3 of tokens.csv; the last line of a token counts"])
})

test("a line with an empty token authenticates no user, and is reported", () => {
  const warnings: string[] = []
  expect(readTokenFile(",a,1\nt,b,2", "tokens.csv", (warning) => warnings.push(warning))).toEqual(
    new Map([["t", { name: "b", uid: "2", groups: [] }]]),
  )
  expect(warnings).toEqual(["an empty token has been found in line 1 of tokens.csv; the line counts for nothing"])
})

test("words behind a # are a remark; a token may begin with one", () => {
  expect([...readTokenFile("# who may come in\n#t,a,1", "tokens.csv").keys()]).toEqual(["#t"])
})

test.each(["secret", "secret,b", '"secret","b,2"'])("a line that says too little is refused by its number, and not shown: %s", (line) => {
  expect(() => readTokenFile(`t,a,1\n${line}`, "tokens.csv")).toThrow(
    'expected token,user,uid,"group1,group2" in line 2 of tokens.csv, found less; mend the line',
  )
})

describe("the administrator's token", () => {
  const setUp = () => {
    const { log, lines } = recordingLog()
    return { files: virtualFiles(new VirtualClock()), directory: "/pki", random: seededRandom(1), log, lines }
  }

  test("is made once, for its owner's eyes, and nothing is said of it", () => {
    const { lines, ...options } = setUp()
    const token = ensureAdminToken(options)
    expect(token).toMatch(/^[\w-]{32}$/)
    expect(options.files.facts("/pki/admin.token")?.mode).toBe(0o600)
    expect(ensureAdminToken({ ...options, random: seededRandom(2), isFirstStart: false })).toBe(token)
    expect(lines).toEqual([])
  })

  test.each([
    ["empty", (files: Files) => files.write("/pki/admin.token", "\n")],
    ["missing", (files: Files) => files.remove("/pki/admin.token")],
  ])("that is %s later is recreated, and the warning says which clients are refused from now on", (how, lose) => {
    const { lines, ...options } = setUp()
    const token = ensureAdminToken(options)
    lose(options.files)
    expect(ensureAdminToken({ ...options, random: seededRandom(2), isFirstStart: false })).not.toBe(token)
    const message = `the administrator's token was ${how} and was recreated: kubeconfigs with the old one are refused (401); use the new one`
    expect(lines).toEqual([{ level: "warn", message, fields: { file: "/pki/admin.token" } }])
    expect(options.files.facts("/pki/admin.token")?.mode).toBe(0o600)
  })

  test.each([
    ["a sentence", "hello world\n", "several words or lines"],
    ["two lines", "one\n\ntwo\n", "several words or lines"],
    ["letters of no header", "gehëim", "letters that no header carries"],
  ])("that is %s is refused, and left as it is", (_what, text, found) => {
    const { lines, ...options } = setUp()
    options.files.write("/pki/admin.token", text)
    expect(() => ensureAdminToken(options)).toThrow(
      `expected a bearer token, one word, in /pki/admin.token, found ${found}; put the right file back, or remove it to have one created (nothing was changed)`,
    )
    expect(Buffer.from(options.files.read("/pki/admin.token")!).toString()).toBe(text)
    expect(lines).toEqual([])
  })

  test("that an administrator chose, and is one word, is used", () => {
    const { lines, ...options } = setUp()
    options.files.write("/pki/admin.token", "  s3cret/+==.~\r\n")
    expect(ensureAdminToken(options)).toBe("s3cret/+==.~")
    expect(lines).toEqual([])
  })
})
