#!/usr/bin/env node
// The launcher. In the workspace it runs the sources by type stripping; in an installed package it runs dist.
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { startNode } from "./start-node.js"

const source = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const built = fileURLToPath(new URL("../dist/main.js", import.meta.url))
const program = existsSync(source) ? ["--conditions=@pilothouse/source", source] : [built]
startNode(["--disable-warning=ExperimentalWarning", ...program, ...process.argv.slice(2)])
