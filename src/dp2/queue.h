/* SPDX-License-Identifier: MIT
 * Deferred drawing. Drawing tokens append vertices to process and primitives to draw; a flush processes vertices, sets primitives up
 * and draws tile after tile, each step on all threads. Each tile is drawn by one thread in stream order, so pixels do
 * not depend on the thread count. Everything a primitive needs is in its compiled draw (raster.h): later state changes
 * do not reach it. */
#ifndef CDXR_DP2_QUEUE_H
#define CDXR_DP2_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct cdxr_dp2_context;
struct queue;

MUST_USE enum status dp2_queue_create(struct queue **queue);
void dp2_queue_destroy(struct queue *queue);
void dp2_queue_flush(struct cdxr_dp2_context *context);

#endif
