import { expect, test } from "vitest"
import { openStackLines } from "./embedded-files.ts"

test.each<[name: string, directory: string, flag: string]>([
  ["the usual directory is looked into by itself", ".pilothouse", ""],
  ["another has to be named", "/data/two", " --config-file /data/two/kuryr.conf"],
  ["one with a blank stays one word", "my data", " --config-file 'my data/kuryr.conf'"],
  ["one with a quote too", "it's", " --config-file 'it'\\''s/kuryr.conf'"],
])("what to try finds the cloud: %s", (_name, directory, flag) => {
  const { next } = openStackLines("http://127.0.0.1:1/v3", directory)
  expect(next.slice(-2)).toEqual([`  npx @pilothouse/cli openstack doctor${flag}`, `  npx @pilothouse/cli openstack orphans${flag}`])
})
