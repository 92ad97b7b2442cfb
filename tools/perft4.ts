// Counts one position under whatever runtime executes this file: `mod.ts` is the same everywhere.
import { Board } from "../mod.ts";

const leaves = new Board().perft(4);
if (leaves !== 197281) throw new Error(`Expected 197281 leaves, got ${leaves}`);
console.log(`${navigator.userAgent}: perft 4 is ${leaves}`);
