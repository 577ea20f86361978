import { expect, test } from "vitest"
import { checkedProxy, proxyFor } from "./proxy-for.ts"

const proxy = "http://proxy:3128"
const rows: Record<string, { server?: string; environment: Record<string, string>; proxy: string | undefined }> = {
  "no variable, no proxy": { environment: {}, proxy: undefined },
  "HTTPS_PROXY for https": { environment: { HTTPS_PROXY: proxy }, proxy },
  "lower case": { environment: { https_proxy: proxy }, proxy },
  "upper case wins": { environment: { https_proxy: "http://other:3128", HTTPS_PROXY: proxy }, proxy },
  "not HTTP_PROXY for https": { environment: { HTTP_PROXY: proxy }, proxy: undefined },
  "HTTP_PROXY for http": { server: "http://api.example.com", environment: { HTTP_PROXY: proxy }, proxy },
  "a proxy without a scheme": { environment: { HTTPS_PROXY: "proxy:3128" }, proxy },
  "never to localhost": { server: "https://localhost:6443", environment: { HTTPS_PROXY: proxy }, proxy: undefined },
  "never to loopback": { server: "https://127.9.9.9:6443", environment: { HTTPS_PROXY: proxy }, proxy: undefined },
  "never to IPv6 loopback": { server: "https://[::1]:6443", environment: { HTTPS_PROXY: proxy }, proxy: undefined },
  "NO_PROXY *": { environment: { HTTPS_PROXY: proxy, NO_PROXY: "*" }, proxy: undefined },
  "NO_PROXY the name": { environment: { HTTPS_PROXY: proxy, NO_PROXY: "x, api.example.com" }, proxy: undefined },
  "NO_PROXY a name above": { environment: { HTTPS_PROXY: proxy, NO_PROXY: "example.com" }, proxy: undefined },
  "NO_PROXY with a dot is only what is below": { environment: { HTTPS_PROXY: proxy, NO_PROXY: ".api.example.com" }, proxy },
  "NO_PROXY *.example.com": { environment: { HTTPS_PROXY: proxy, NO_PROXY: "*.example.com" }, proxy: undefined },
  "NO_PROXY does not match in the middle of a name": { environment: { HTTPS_PROXY: proxy, NO_PROXY: "ple.com" }, proxy },
  "NO_PROXY with the port": { environment: { HTTPS_PROXY: proxy, NO_PROXY: "api.example.com:6443" }, proxy: undefined },
  "NO_PROXY with another port": { environment: { HTTPS_PROXY: proxy, NO_PROXY: "api.example.com:443" }, proxy },
  "NO_PROXY in lower case": { environment: { HTTPS_PROXY: proxy, no_proxy: "api.example.com" }, proxy: undefined },
  "NO_PROXY a name in capitals": { environment: { HTTPS_PROXY: proxy, NO_PROXY: "API.Example.com" }, proxy: undefined },
  "NO_PROXY the usual port of https": {
    server: "https://api.example.com",
    environment: { HTTPS_PROXY: proxy, NO_PROXY: "api.example.com:443" },
    proxy: undefined,
  },
  "NO_PROXY the usual port of http": {
    server: "http://api.example.com",
    environment: { HTTP_PROXY: proxy, NO_PROXY: "api.example.com:80" },
    proxy: undefined,
  },
  "NO_PROXY nothing between commas": {
    server: "https://api.example.com.:6443",
    environment: { HTTPS_PROXY: proxy, NO_PROXY: " ,," },
    proxy,
  },
  "NO_PROXY a block of the other family": { server: "https://10.1.2.3", environment: { HTTPS_PROXY: proxy, NO_PROXY: "::/8" }, proxy },
  "NO_PROXY an address": { server: "https://10.1.2.3", environment: { HTTPS_PROXY: proxy, NO_PROXY: "10.1.2.3" }, proxy: undefined },
  "NO_PROXY a block": { server: "https://10.1.2.3", environment: { HTTPS_PROXY: proxy, NO_PROXY: "10.0.0.0/8" }, proxy: undefined },
  "NO_PROXY another block": { server: "https://11.1.2.3", environment: { HTTPS_PROXY: proxy, NO_PROXY: "10.0.0.0/8" }, proxy },
  "NO_PROXY an IPv6 block": {
    server: "https://[fd00::1]:6443",
    environment: { HTTPS_PROXY: proxy, NO_PROXY: "fd00::/8" },
    proxy: undefined,
  },
  "NO_PROXY an IPv6 address and a port": {
    server: "https://[fd00::1]:6443",
    environment: { HTTPS_PROXY: proxy, NO_PROXY: "[fd00:0::1]:6443" },
    proxy: undefined,
  },
  "NO_PROXY a block that is none": {
    server: "https://10.1.2.3",
    environment: { HTTPS_PROXY: proxy, NO_PROXY: "10.0.0.0/33,x/8,/" },
    proxy,
  },
  "NO_PROXY an IPv6 address": { server: "https://[fd00::1]", environment: { HTTPS_PROXY: proxy, NO_PROXY: "fd00::1" }, proxy: undefined },
}

test.each(Object.entries(rows))("%s", (_, { server = "https://api.example.com:6443", environment, proxy }) => {
  expect(proxyFor(server, environment)).toBe(proxy)
})

test("another scheme is refused, without showing the password in it", () => {
  expect(() => checkedProxy("ftp://jane:secret@proxy", 'proxy-url of cluster "c" in /k')).toThrow(
    'expected an address that begins with http://, https:// or socks5:// as proxy-url of cluster "c" in /k, found another; correct it',
  )
})
