import { recordingLog, seededRandom, virtualFiles } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { startEmbeddedApi } from "./embedded-api.ts"

test.each([
  ["a first start says nothing", false, []],
  ["where there are objects and no keys, they were lost, and that is said", true, ["ca.crt and ca.key were", "sa.key and sa.pub were"]],
])("%s", async (_what, hasObjects, lost) => {
  const files = virtualFiles(systemClock)
  if (hasObjects) files.makeDirectory("/data/storage", 0o700)
  const { log, lines } = recordingLog()
  const options = { clock: systemClock, random: seededRandom(7), files, log, dataDirectory: "/data", ephemeral: true, port: 0, nodes: 0 }
  await using _api = await startEmbeddedApi(options, {})
  expect(lines.map(({ level, message }) => `${level} ${message.split(" missing")[0]}`)).toEqual(lost.map((what) => `warn ${what}`))
})
