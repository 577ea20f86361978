#!/usr/bin/env node
// The launcher: finds the program and a Node that can run it.
import { pathToFileURL } from "node:url"
import { findNode } from "./find-node.js"
import { findProgram } from "./find-program.js"
import { startNode } from "./start-node.js"

const { file, flags, kind } = findProgram()
// The bundle needs no flag: where this Node can run it, a second process would only take time and memory.
if (kind === "bundle" && findNode() === process.execPath) await import(pathToFileURL(file).href)
else startNode(["--disable-warning=ExperimentalWarning", ...flags, file, ...process.argv.slice(2)])
