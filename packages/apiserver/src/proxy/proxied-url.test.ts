import { expect, test } from "vitest"
import { encodedPath, joinKeepingSlash, joinPaths, rewriteUrl } from "./proxied-url.ts"

const page = { prefix: "/api/v1/namespaces/d/services/web/proxy", hosts: { server: "10.0.0.7:8080", client: "127.0.0.1:8001" } }

test.each([
  ["of the root", "/x?a=1#b", `${page.prefix}/x?a=1#b`],
  ["with a slash at its end", "/x/", `${page.prefix}/x/`],
  ["of the server itself", "http://10.0.0.7:8080/x", `${page.prefix}/x`],
  ["of the host that the client called", "http://127.0.0.1:8001/x", `http://127.0.0.1:8001${page.prefix}/x`],
  ["of another host", "https://example.com/x", "https://example.com/x"],
  ["of another host without a scheme", "//example.com/x", "//example.com/x"],
  ["of another port", "http://10.0.0.7:9090/x", "http://10.0.0.7:9090/x"],
  ["relative", "../x", "../x"],
  ["a fragment", "#top", "#top"],
  ["that leads through the proxy already", `${page.prefix}/x`, `${page.prefix}/x`],
  ["that leads out of it", "/../../../secrets", `${page.prefix.split("/").slice(0, -3).join("/")}/secrets`],
  ["without a host", "javascript:/x", "javascript:/x"],
  ["empty", "", ""],
])("a URL %s", (_, url, wanted) => {
  expect(rewriteUrl(url, page)).toBe(wanted)
})

test.each([
  [["/a", "b/"], "/a/b/", "/a/b"],
  [["", ""], "", ""],
  [["", "/"], "/", "/"],
  [["/a//b/./c/../d"], "/a/b/d", "/a/b/d"],
  [["/../../x"], "/x", "/x"],
] as const)("paths %j", (paths, keeping, joined) => {
  expect([joinKeepingSlash(...paths), joinPaths(...paths)]).toEqual([keeping, joined])
})

test("a path is written as Go writes it", () => {
  expect(encodedPath("/a b/$&+,:;=@/ä?#%!'()*~")).toBe("/a%20b/$&+,:;=@/%C3%A4%3F%23%25%21%27%28%29%2A~")
})
