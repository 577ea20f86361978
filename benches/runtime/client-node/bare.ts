// A program: the least that any client has to do for the same list. Receives it over HTTP and parses it; says both together, and the parsing alone.
const [server = ""] = process.argv.slice(2)
await fetch(`${server}/go`)
const before = process.cpuUsage()
const bytes = new Uint8Array(await (await fetch(`${server}/api/v1/pods`)).arrayBuffer())
const received = process.cpuUsage()
const list: { items: unknown[] } = JSON.parse(new TextDecoder().decode(bytes))
console.log(JSON.stringify({ sync: since(before), parse: since(received), items: list.items.length }))

function since(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
